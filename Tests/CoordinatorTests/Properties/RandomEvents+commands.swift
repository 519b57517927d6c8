import Coordinator

/// What people ask for.
extension RandomEvents {
    /// Amounts good and bad, as JSON.
    private static let amounts = [
        "2", "2.0", #""2.00""#, #""1.66""#, "1.5", #""10""#, "1.005", #""1.125""#, "true", "null",
        "-1", "0", #""x""#, "999999999999999", #""999999999999999999""#, "1e3",
        "1e-9223372036854775808",
    ]
    private static let prices = [#""1.66""#, "1.5", #""2.00""#, "2", #""1.125""#, "10"]
    private static let options = [
        "", #","options":{}"#, #","options":{"autoRotate":true,"closeOnPipClose":true}"#,
        #","options":{"autoRotate":false}"#, #","options":{"closeOnPipClose":true,"a":"b"}"#,
    ]

    mutating func amount() -> String {
        chance(60) ? pick(Self.prices) : pick(Self.amounts)
    }

    mutating func selection() -> String {
        #""sportsbookSelectionId":"s\#(number(1..<4))""#
    }

    mutating func wish() -> String {
        switch number(0..<8) {
        case 0, 1: #"{"type":"fullscreen.toggle"}"#
        case 2: #"{"type":"pip.button","visible":\#(chance(50))}"#
        case 3: #"{"type":"theme.set","theme":"\#(pick(["dark", "light</script>"]))"}"#
        case 4: #"{"type":"locale.set","locale":"\#(pick(["en-GB", "de"]))"}"#
        case 5:
            ##"{"type":"widget.update","selector":"#w\##(number(0..<2))","props":{"a":1}}"##
        default: #"{"type":"fullscreen.set","on":\#(chance(50))}"#
        }
    }

    mutating func player() -> String {
        switch number(0..<5) {
        case 0: #"{"type":"player.close"}"#
        case 1:
            #"{"type":"player.sources","sources":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}"#
        case 2, 3: #"{"type":"player.source","id":"\#(pick(["a", "b"]))"}"#
        default: #"{"type":"login.complete","accessToken":"\#(Self.secret)\#(number(0..<3))"}"#
        }
    }

    mutating func betslip(in state: SessionState) -> String {
        switch number(0..<12) {
        case 0: return #"{"type":"betslip.open"}"#
        case 1, 2, 3, 4:
            let kind = pick(["open", "add", "add", "update", "remove"])
            return
                #"{"type":"betslip.\#(kind)",\#(selection()),"decimalPrice":\#(amount())}"#
        case 5: return #"{"type":"betslip.update","stake":\#(amount())}"#
        case 6: return #"{"type":"betslip.\#(pick(["close", "cancel"]))"}"#
        case 7, 8, 9: return place(in: state)
        default: return settle(in: state)
        }
    }

    mutating func place(in state: SessionState) -> String {
        let seen =
            switch number(0..<4) {
            case 0: #","ifSlip":\#(state.betslip.revision)"#
            case 1: #","ifSlip":\#(max(1, state.betslip.revision) - 1)"#
            case 2: #","decimalPrice":\#(state.betslip.totals?.price.text ?? "2")"#
            default: ""
            }
        return #"{"type":"betslip.place","placementId":"p\#(number(0..<40))"\#(seen)}"#
    }

    mutating func settle(in state: SessionState) -> String {
        let id =
            chance(70) ? state.betslip.placement?.id ?? "p0" : "p\(number(0..<40))"
        let outcome = pick(["accepted", "accepted", "rejected", "unknown"])
        let stake = chance(20) ? #","stake":"5.00""# : ""
        return
            #"{"type":"betslip.settle","placementId":"\#(id)","outcome":"\#(outcome)"\#(stake)}"#
    }

    /// A load of a vendor's page, mostly of the vendor that is there.
    mutating func load(in state: SessionState) -> String {
        let vendor = chance(50) ? state.vendor?.rawValue ?? vendor() : vendor()
        return
            #"{"type":"player.load","vendor":"\#(vendor)","content":\#(content(vendor))"#
            + pick(Self.options) + "}"
    }

    mutating func vendor() -> String {
        pick(["genius", "sauceflex", "lisa", "sportradar", "bambuser"])
    }

    private mutating func content(_ vendor: String) -> String {
        let choice = number(1..<3)
        // Now and then what another vendor wants, which is too little here.
        switch chance(5) ? self.vendor() : vendor {
        case "genius":
            return #"{"fixtureId":"\#(choice)","apiKey":"\#(Self.secret)","gone":null}"#
        case "sauceflex": return #"{"liveId":"l\#(choice)","accessToken":"\#(Self.secret)"}"#
        case "lisa": return #"{"clientId":"c","showId":"s \#(choice)"}"#
        case "sportradar":
            return chance(30)
                ? #"{"html":"<p>\#(choice)</p>"}"#
                : #"{"clientId":"c","widget":"match.\#(choice)","props":{"id":1},"disableScroll":true}"#
        default:
            return
                #"{"pageURL":"https://shop.example/p?token=\#(Self.secret)","showId":"\#(choice)"}"#
        }
    }
}

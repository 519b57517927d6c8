import Coordinator

/// What the vendors' pages say.
extension RandomEvents {
    private static let strays = ["null", "7", "true", #""text""#, "[]", "{}", #"{"type":1e999}"#]

    /// A message, mostly of the vendor that is there and from its present page.
    mutating func message(in state: SessionState) -> String {
        let vendor = chance(90) ? state.vendor?.rawValue ?? vendor() : vendor()
        var (handler, body) = message(of: vendor)
        if chance(5) { body = pick(Self.strays) }
        if chance(3) { handler = "somebodyElse" }
        var page = ""
        if let present = state.player.page, chance(40) {
            page = #","page":\#(chance(75) ? present : max(1, present) - 1)"#
        }
        return #"{"type":"bridge","handler":"\#(handler)","body":\#(body)\#(page)}"#
    }

    private mutating func message(of vendor: String) -> (handler: String, body: String) {
        switch vendor {
        case "genius": ("gsVideoPlayerBridge", genius())
        case "sauceflex": sauceflex()
        case "lisa": ("MessageFromLiSA", pick(Self.strays))
        case "sportradar": ("srBridge", sportradar())
        default: ("bambuserEventHandler", bambuser())
        }
    }

    private mutating func genius() -> String {
        switch number(0..<10) {
        case 0, 1, 2: return #"{"type":"init"}"#
        case 3: return #"{"type":"toggleFullscreen"}"#
        case 4:
            let wanted = pick(["true", "false", "1"])
            return #"{"type":"toggleFullscreen","payload":{"isFullscreen":\#(wanted)}}"#
        case 5:
            return
                #"{"type":"betslip-container-dimensions","payload":{"top":\#(number(0..<3)),"left":0,"#
                + #""width":"250.5","height":\#(pick(["300", "-1", "null"]))}}"#
        case 6: return #"{"type":"other"}"#
        default:
            let command = pick([
                "openBetslip", "addToBetslip", "removeFromBetslip", "closeBetslip", "other",
            ])
            let named = chance(80) ? #""command":"\#(command)","# : ""
            let key = chance(70) ? selection() + "," : ""
            return
                #"{"type":"multibet-event","payload":{\#(named)\#(key)"decimalPrice":\#(amount()),"#
                + #""stake":\#(amount())}}"#
        }
    }

    private mutating func sauceflex() -> (handler: String, body: String) {
        switch number(0..<12) {
        case 0, 1, 2, 3: ("sauceflexEnter", "null")
        case 4, 5: ("sauceflexPictureInPicture", "{}")
        case 6: ("sauceflexPictureInPictureNoEvent", "{}")
        case 7: ("sauceflexMoveLogin", "{}")
        case 8: ("sauceflexMoveProduct", pick([#"{"id":1}"#, #""{\"id\":2}""#, "3", #""{""#]))
        case 9: ("sauceflexOnShare", #"{"linkUrl":"\#(address())"}"#)
        case 10: ("sauceflexMoveBanner", #"{"bannerId":"b","linkUrl":"\#(address())"}"#)
        default: (pick(["sauceflexMoveExit", "bridge"]), #""bye""#)
        }
    }

    private mutating func sportradar() -> String {
        switch number(0..<5) {
        case 0, 1: #"{"type":"height","height":\#(pick(["400", "400.5", "0", "true"]))}"#
        case 2: #"{"type":"onTrack","eventName":"e\#(number(0..<60))","eventData":{}}"#
        case 3: #"{"type":"onItemClick","target":"match","data":\#(pick(["{}", #""{""#]))}"#
        default: #"{"type":"new"}"#
        }
    }

    private mutating func bambuser() -> String {
        let name: String
        let data: String
        switch number(0..<8) {
        case 0, 1, 2: (name, data) = ("READY", "null")
        case 3: (name, data) = ("CLOSE", "null")
        case 4:
            let start = pick(["2026-03-01T20:00:00Z", "2026-03-01T20:00:00.5+02:00", "soon"])
            (name, data) = (
                "SHOW_ADD_TO_CALENDAR",
                #"{"title":"Show","start":"\#(start)","duration":"60000","url":"\#(address())"}"#
            )
        case 5: (name, data) = ("SHOW_SHARE", #"{"url":"\#(address())"}"#)
        case 6: (name, data) = ("SHOW_PRODUCT_VIEW", #"{"sku":1}"#)
        default: (name, data) = ("OTHER", "{}")
        }
        return #"{"eventName":"player.EVENT.\#(name)","data":\#(data)}"#
    }
}

import Coordinator
import TestSupport
import Testing

/// Whoever follows a slip sees totals that are those of its selections and stake, at each revision.
@Suite struct BetslipTotalsPropertyTests {
    private static let keys = (1...9).map { #""sportsbookSelectionId":"s\#($0)""# }
    private static let prices = [
        // Halves to round to even, ordinary ones, and some too long to multiply.
        #""1.005""#, #""1.015""#, #""1.125""#, "1.25", "1.5", "2", #""2.00""#, "1.85", #""1.91""#,
        "11", "101.333", #""1.00000000000000001""#, #""99999999999999.95""#, "123456789.123456",
    ]
    private static let stakes = [
        "0", #""0.00""#, #""0.01""#, #""0.005""#, "0.1", "1", #""10.00""#, "2.5", "33.33",
        #""1234567890.125""#, #""999999999999999999""#,
    ]
    private static let commands = ["openBetslip", "addToBetslip", "removeFromBetslip"]

    private static let devices: [Origin?] = [
        nil, TestSession.mirror, Origin(device: "tv", role: .mirror),
    ]

    /// An event and who sends it; nil for the stage, whose page speaks, too.
    private static func event(_ random: inout SplitMix) -> (text: String, origin: Origin?) {
        func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
        let key = pick(keys)
        let price = #""decimalPrice":\#(pick(prices))"#
        let stake = #""stake":\#(pick(stakes))"#
        let text =
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35: #"{"type":"betslip.add",\#(key),\#(price)}"#
            case ..<38: #"{"type":"betslip.add",\#(key)}"#
            case ..<58: #"{"type":"betslip.remove",\#(key)}"#
            case ..<74: #"{"type":"betslip.update",\#(stake)}"#
            case ..<92: #"{"type":"betslip.update",\#(key),\#(price)}"#
            case ..<94: #"{"type":"betslip.open",\#(key),\#(price),\#(stake)}"#
            case ..<95: #"{"type":"betslip.place","placementId":"p\#(random.next())"}"#
            case ..<96: #"{"type":"betslip.cancel"}"#
            default:
                #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"multibet-event","#
                    + #""payload":{"command":"\#(pick(commands))",\#(key),\#(price),\#(stake)}}}"#
            }
        let isBridge = text.hasPrefix(#"{"type":"bridge""#)
        return (text, isBridge ? nil : devices.randomElement(using: &random) ?? nil)
    }

    /// What a run has met, so that it is known to have tested something.
    private struct Met {
        var revisions = 0
        var refused = 0
        var drops = 0
        var totals = 0
        var tooLong = 0
    }

    private static func check(_ state: JSON, _ note: String) {
        let slip = state["betslip"]
        let totals = SchoolbookDecimal.totals(of: slip)
        #expect(slip?["totals"] == totals, "\(note)")
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `a screen's totals are always those of what it lists`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var policy = Policy()
        policy.betslipConfirm = .auto
        var session = try TestSession.ready(policy: policy)
        let first = session.revision
        var tablet = FoldedMirror(epoch: "", revision: first, state: session.folded)
        var missed: [JSON] = []
        var isAway = false
        var met = Met()
        for number in 0..<1000 {
            let note = "seed \(seed), event \(number)"
            let (text, origin) = Self.event(&random)
            do {
                let outcome = try session.send(text, from: origin)
                if outcome.kind == .revision {
                    met.revisions += 1
                    missed.append([
                        "offset": .integer(session.revision),
                        "data": ["rev": .integer(session.revision), "patch": outcome.patch],
                    ])
                }
            } catch is Rejection {
                met.refused += 1
            }
            Self.check(session.folded, note)
            if session.folded["betslip"]?["totals"] != nil { met.totals += 1 }
            let hasPrice = session.folded["betslip"]?["selections"]?.array?.contains {
                $0["decimalPrice"] != nil
            }
            if hasPrice == true, session.folded["betslip"]?["totals"] == nil { met.tooLong += 1 }

            // Every 50 events the tablet is away for 25, then catches up or begins anew.
            if number % 50 == 25 { isAway = true }
            if number % 50 == 49 {
                isAway = false
                met.drops += 1
                if Bool.random(using: &random) {
                    tablet = FoldedMirror(
                        epoch: "", revision: session.revision,
                        state: session.viewing.state.json)
                    missed = []
                }
            }
            guard !isAway else { continue }
            for publication in missed {
                try tablet.take(publication: publication)
                Self.check(tablet.state, "\(note), tablet at \(tablet.revision)")
            }
            missed = []
            #expect(tablet.revision == session.revision, "\(note)")
            #expect(tablet.state == session.folded, "\(note)")
            #expect(tablet.state == session.viewing.state.json, "\(note)")
        }
        #expect(met.drops == 20)
        for (what, count) in [
            ("revisions", met.revisions), ("refused", met.refused), ("totals", met.totals),
            ("too long", met.tooLong),
        ] {
            #expect(count > 20, "seed \(seed): \(what)")
        }
    }

    // Worked out by hand.
    @Test(
        arguments: [
            (["1.005"], nil, "1.00", nil), (["1.015"], nil, "1.02", nil),
            (["1.25", "1.5"], "10", "1.88", "18.75"), (["1.1", "1.1"], "0.1", "1.21", "0.12"),
            (["1.85", "2.00"], "10.00", "3.70", "37.00"), (["1.5"], "0.01", "1.50", "0.02"),
            (["2.5"], "0.01", "2.50", "0.02"), (["1.0049", "1"], "0", "1.00", "0.00"),
            (["9999999999999999.994"], nil, "9999999999999999.99", nil),
            (["9999999999999999.995"], nil, nil, nil), (["5"], "2000000000000000", nil, nil),
        ] as [([String], String?, String?, String?)])
    func `the recomputation is right itself`(
        prices: [String], stake: String?, price: String?, payout: String?
    ) {
        var slip = JSONObject()
        slip.append("selections", .array(prices.map { ["decimalPrice": .string($0)] }))
        slip.append("stake", ifPresent: stake.map { .string($0) })
        var totals = JSONObject()
        totals.append("price", ifPresent: price.map { .string($0) })
        totals.append("return", ifPresent: payout.map { .string($0) })
        #expect(
            SchoolbookDecimal.totals(of: .object(slip)) == (price == nil ? nil : .object(totals)))
    }
}

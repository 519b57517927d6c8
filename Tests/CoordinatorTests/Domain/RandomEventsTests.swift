import Coordinator
import TestSupport
import Testing

/// Any events in any order: no trap, no drift, no half-applied rejection.
@Suite struct RandomEventsTests {
    private static let selections = (1...3).map { #""sportsbookSelectionId":"s\#($0)""# }
    private static let amounts = [
        "2", "2.0", #""2.00""#, #""1.66""#, "1.5", #""10""#, "true", "null", "-1", "0", #""x""#,
        "999999999999999", #""999999999999999999""#, "1e3", "1e-9223372036854775808",
    ]
    private static let geometry = [
        "", #","screen":{"width":390,"height":844}"#, #","screen":{"width":844,"height":390}"#,
        #","safeArea":{"top":0,"left":47,"bottom":21,"right":47}"#,
        #","safeArea":{"top":47,"left":0,"bottom":34,"right":0}"#,
        #","safeArea":{"top":0,"left":400,"bottom":0,"right":400}"#,
    ]
    private static let orientations = [
        "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "unknown",
    ]
    private static let navigations = ["finished", "failed", "terminated", "committed"]
    private static let commands = [
        "openBetslip", "addToBetslip", "removeFromBetslip", "closeBetslip", "other",
    ]

    private static func event(_ random: inout SeededGenerator) -> String {
        func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
        let selection = pick(selections)
        let amount = pick(amounts)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return EventSamples.all.randomElement(using: &random) ?? ""
        case 1:
            return
                #"{"type":"device.orientation","orientation":"\#(pick(orientations))"\#(pick(geometry))}"#
        case 2:
            return
                #"{"type":"device.interface","orientation":"\#(pick(orientations))"\#(pick(geometry))}"#
        case 3: return #"{"type":"device.navigation","phase":"\#(pick(navigations))"}"#
        case 4: return #"{"type":"fullscreen.set","on":\#(pick(["true", "false"]))}"#
        case 5:
            return
                #"{"type":"betslip.\#(pick(["open", "add", "update", "remove"]))",\#(selection),"#
                + #""decimalPrice":\#(amount)}"#
        case 6: return #"{"type":"betslip.update","stake":\#(amount)}"#
        case 7: return #"{"type":"betslip.place","placementId":"p\#(pick(["1", "2", "3"]))"}"#
        case 8:
            return
                #"{"type":"betslip.settle","placementId":"p\#(pick(["1", "2", "3"]))","outcome":"#
                + #""\#(pick(["accepted", "rejected", "unknown"]))"}"#
        case 9:
            return
                #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"multibet-event","#
                + #""payload":{"command":"\#(pick(commands))",\#(selection),"decimalPrice":\#(amount),"#
                + #""stake":\#(pick(amounts))}}}"#
        case 10:
            return
                #"{"type":"bridge","handler":"gsVideoPlayerBridge","page":\#(pick(["1", "2", "9"])),"#
                + #""body":{"type":"\#(pick(["init", "toggleFullscreen", "other"]))"}}"#
        default:
            return
                #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"\#(pick(["1", "2"]))"}}"#
        }
    }

    /// Does one thing; whether it was refused.
    private static func step(
        _ session: inout TestSession, _ random: inout SeededGenerator
    ) throws -> Bool {
        do {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: session.detach()
            case 1: _ = try session.attach(["phone", "tv"].randomElement(using: &random) ?? "")
            case 2: try session.take(["phone", "tv"].randomElement(using: &random) ?? "")
            case 3:
                let seqs = session.viewing.memory.outbox.effects.map(\.seq)
                session.acknowledge(seqs.filter { _ in Bool.random(using: &random) })
            case 4:
                session.now = session.now.advanced(
                    bySeconds: Int64.random(in: 0..<40, using: &random))
                while session.expire() != nil {}
            case 5: try session.send(event(&random), from: TestSession.mirror)
            default: try session.send(event(&random))
            }
            return false
        } catch is Rejection {
            return true
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `patches fold to the state and a refused event changes nothing`(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        var session = try TestSession.ready()
        for number in 0..<500 {
            let before = session.viewing
            let revision = session.revision
            if try Self.step(&session, &random) {
                #expect(session.viewing == before, "seed \(seed), step \(number)")
                #expect(session.revision == revision, "seed \(seed), step \(number)")
            }
            let state = session.viewing.state.json
            #expect(session.folded == state, "seed \(seed), step \(number)")
            let seqs = session.viewing.memory.outbox.effects.map(\.seq)
            #expect(seqs == seqs.sorted(), "seed \(seed), step \(number)")
            #expect(seqs.count <= session.policy.outboxLimit, "seed \(seed), step \(number)")
            #expect(
                session.viewing.state.betslip.selections.count <= session.policy.selectionLimit)
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `what is stored folds to the session`(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        // So little room that ids, effects and placements are forgotten and used again.
        var policy = Policy()
        policy.placementLimit = seed.isMultiple(of: 2) ? 2 : 3
        policy.placementSeconds = 30
        policy.outboxLimit = 4
        policy.betslipConfirm = seed.isMultiple(of: 3) ? .auto : .host
        var session = try TestSession.ready(policy: policy)
        var mirror = try StoredMirror(session.viewing)
        for number in 0..<200 {
            _ = try Self.step(&session, &random)
            try mirror.fold(session.viewing)
            if number % 10 == 0 { try mirror.check("seed \(seed), step \(number)") }
        }
    }
}

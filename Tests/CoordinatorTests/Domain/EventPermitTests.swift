import Coordinator
import Testing

@Suite struct EventPermitTests {
    private static let stage = Origin(device: "a", role: .player, holdsStage: true)
    private static let player = Origin(device: "b", role: .player)
    private static let mirror = Origin(device: "c", role: .mirror)
    private static let observer = Origin(device: "d", role: .observer)
    private static let api = Origin(device: nil, role: .api)

    private static let stageOnly = EventSamples.all.filter {
        $0.hasPrefix(#"{"type":"bridge"#) || $0.hasPrefix(#"{"type":"device."#)
    }
    private static let settle = EventSamples.all.filter { $0.contains("betslip.settle") }
    private static let shared = EventSamples.all.filter { text in
        ["fullscreen.", "pip.", "betslip."].contains { text.hasPrefix(#"{"type":"\#($0)"#) }
            && !text.contains("betslip.settle")
    }
    private static let playerOnly = EventSamples.all.filter { text in
        ["player.", "widget.", "theme.", "locale.", "login."].contains {
            text.hasPrefix(#"{"type":"\#($0)"#)
        }
    }

    private func refusal(_ text: String, _ origin: Origin) throws -> String? {
        let event = try Event.decode(JSONParser.parse(text: text), policy: Policy())
        do {
            try event.permit(origin, in: Viewing())
            return nil
        } catch {
            #expect(error.code == 103)
            return String(error.message.prefix { $0 != ":" })
        }
    }

    @Test func `every event is in one of the groups`() {
        let groups = [Self.stageOnly, Self.settle, Self.shared, Self.playerOnly]
        #expect(Set(groups.joined()) == Set(EventSamples.all))
        #expect(groups.joined().count == EventSamples.all.count)
    }

    @Test(arguments: stageOnly)
    func `messages and facts come from the stage alone`(text: String) throws {
        #expect(try refusal(text, Self.stage) == nil)
        for origin in [Self.player, Self.mirror, Self.observer, Self.api] {
            #expect(try refusal(text, origin) == "stage.notHeld")
        }
    }

    @Test(arguments: shared)
    func `full screen, picture-in-picture and betslip are for players, mirrors and the API`(
        text: String
    ) throws {
        for origin in [Self.stage, Self.player, Self.mirror, Self.api] {
            #expect(try refusal(text, origin) == nil)
        }
        #expect(try refusal(text, Self.observer) == "role.forbidden")
    }

    @Test(arguments: playerOnly)
    func `the player, widgets, theme, language and login are for players and the API`(
        text: String
    ) throws {
        for origin in [Self.stage, Self.player, Self.api] {
            #expect(try refusal(text, origin) == nil)
        }
        for origin in [Self.mirror, Self.observer] {
            #expect(try refusal(text, origin) == "role.forbidden")
        }
    }

    @Test(arguments: settle)
    func `a bet is settled by the stage and the API`(text: String) throws {
        for origin in [Self.stage, Self.api] { #expect(try refusal(text, origin) == nil) }
        for origin in [Self.player, Self.mirror, Self.observer] {
            #expect(try refusal(text, origin) == "role.forbidden")
        }
    }

    @Test func `a bet is settled by the device that was offered it, whatever it is now`() throws {
        var viewing = Viewing()
        let policy = Policy()
        let start = Instant(milliseconds: 0)
        _ = try viewing.attachStage(
            device: "a", facts: nil, at: start, revision: 1, policy: policy)
        for (revision, event) in [
            #"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"2"}"#,
            #"{"type":"betslip.place","placementId":"p"}"#,
        ].enumerated() {
            let event = try Event.decode(JSONParser.parse(text: event), policy: policy)
            _ = try viewing.apply(
                event, from: Self.stage, at: start, revision: UInt64(revision) + 2, policy: policy)
        }
        let settle = Event.betslip(
            .settle(BetslipCommand.Settle(placementId: "p", outcome: .accepted)))
        #expect(throws: Never.self) {
            try settle.permit(Origin(device: "a", role: .observer), in: viewing)
        }
        #expect(throws: Rejection.self) {
            try settle.permit(Origin(device: "c", role: .mirror), in: viewing)
        }
    }
}

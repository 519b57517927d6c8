import Coordinator
import Testing

/// What the golden transcripts do not say about the stage.
@Suite struct StageTests {
    private static let landscape =
        #"{"orientation":"landscapeLeft","screen":{"width":844,"height":390}}"#

    @Test func `a stage that comes back after an abandoned take loads its page again`() throws {
        var session = try TestSession.ready()
        try session.take("tv")
        session.now = session.now.advanced(bySeconds: 30)
        #expect(session.expire()?.published?["type"] == "stage.vacated")
        let outcome = try session.attach("phone")
        #expect(outcome.effects.map(\.order.kind) == ["loadPage"])
        #expect(session.viewing.state.player.page == 2)
    }

    @Test func `a stage that was merely vacated keeps its page`() throws {
        var session = try TestSession.ready()
        session.detach()
        session.now = session.now.advanced(bySeconds: 30)
        _ = session.expire()
        let outcome = try session.attach("phone")
        #expect(outcome.effects.map(\.order.kind) == ["setKeepAwake"])
        #expect(session.viewing.state.player.page == 1)
    }

    @Test func `facts of a new stage do not turn the page it does not have`() throws {
        var session = try TestSession.ready()
        try session.take("tv")
        let outcome = try session.attach("tv", facts: Self.landscape)
        #expect(outcome.effects.map(\.order.kind) == ["loadPage"])
        #expect(session.viewing.state.presentation.mode == .inline)
        // Only its own page is turned, when it is ready.
        #expect(
            try session.page(#"{"type":"init"}"#).effects.map(\.order.kind) == [
                "hideKeyboard", "setFullscreen", "evaluateJavaScript", "setKeepAwake",
            ])
    }

    @Test func `what is asked for between the take and the attach reaches the new stage`() throws {
        var session = try TestSession.ready()
        try session.take("tv")
        try session.send(#"{"type":"fullscreen.set","on":true}"#, from: TestSession.mirror)
        let outcome = try session.attach("tv")
        // Not the script: it was for a page that is gone.
        #expect(
            session.viewing.pendingEffects(after: outcome).map(\.order.kind) == [
                "requestOrientation", "loadPage", "setFullscreen",
            ])
    }

    @Test func `taking a free stage, or one's own, changes nothing`() throws {
        var session = TestSession()
        #expect(try session.take("tv").outcome.kind == .unchanged)
        _ = try session.attach("tv")
        let takeover = try session.take("tv")
        #expect(takeover.outcome.kind == .unchanged)
        #expect(takeover.farewell.isEmpty)
    }

    @Test func `published facts have no secret parameters`() throws {
        var session = TestSession()
        let outcome = try session.attach(
            "phone", facts: #"{"tab":"video","seenAt":"https://a.b/?token=t&q=1"}"#)
        #expect(outcome.published?["facts"]?["seenAt"] == "https://a.b/?q=1")
        #expect(outcome.published?["device"] == "phone")
    }

    @Test(arguments: [
        (#"7"#, "facts"), (#"{"tab":1}"#, "facts.tab"),
        (#"{"screen":{"width":390}}"#, "facts.screen.height"), (#"{"x":1e400}"#, "facts.x"),
        (
            #"{"screen":{"width":90,"height":800},"safeArea":{"top":0,"left":45,"bottom":0,"right":45}}"#,
            "facts.safeArea"
        ),
    ])
    func `bad facts are named, and the stage is not taken`(facts: String, path: String) throws {
        var session = TestSession()
        let rejection = #expect(throws: Rejection.self) {
            _ = try session.attach("phone", facts: facts)
        }
        #expect(rejection?.code == 422)
        #expect(rejection?.message.contains("\(path) ") == true)
        #expect(session.viewing == Viewing())
    }

    @Test func `a failure is passed on without a revision`() throws {
        var session = try TestSession.ready()
        let outcome = session.acknowledge(failed: [
            EffectFailure(seq: 1, code: "7", message: "no way to https://a.b/?token=t"),
            EffectFailure(seq: 99, code: "8", message: "unknown"),
        ])
        #expect(outcome.kind == .signal)
        #expect(outcome.isDurable)
        #expect(
            outcome.published == [
                "type": "effect.failed",
                "failed": [
                    [
                        "seq": 1, "kind": "loadPage", "code": "7",
                        "message": "no way to https://a.b/",
                    ]
                ],
            ])
    }

    @Test func `acknowledging twice is harmless`() throws {
        var session = try TestSession.ready()
        #expect(session.acknowledge([1, 2]).isDurable)
        let again = session.acknowledge([1, 2])
        #expect(again.kind == .unchanged)
        #expect(!again.isDurable)
    }

    @Test func `neither code nor message of a failure brings a secret to the others`() throws {
        var session = try TestSession.ready()
        let address = "https://a.example/p?token=hunter2&x=1"
        let outcome = session.acknowledge(
            failed: [EffectFailure(seq: 1, code: address, message: address)])
        let failure = try #require(outcome.published?["failed"]?.array?.first)
        #expect(failure["code"] == "https://a.example/p?x=1")
        #expect(failure["message"] == "https://a.example/p?x=1")
    }
}

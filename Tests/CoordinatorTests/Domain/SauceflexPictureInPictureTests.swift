import Coordinator
import Testing

/// The small window and the page's overlay and button (contract: domain, sections 4.3 and 5.2).
@Suite struct SauceflexPictureInPictureTests {
    private static let start: JSON = ["kind": "startPictureInPicture"]
    private static let stop: JSON = ["kind": "stopPictureInPicture"]
    private static let on: JSON = [
        "kind": "evaluateJavaScript",
        "script": .string(
            #"(function(){if(typeof sauceflexPictureInPictureOn==="undefined"){return false}"#
                + "window.dispatchEvent(sauceflexPictureInPictureOn);return true})()"),
    ]
    private static let off: JSON = [
        "kind": "evaluateJavaScript",
        "script": .string(
            #"(function(){if(typeof sauceflexPictureInPictureOff==="undefined"){return false}"#
                + "window.dispatchEvent(sauceflexPictureInPictureOff);return true})()"),
    ]
    private static let byPage = "sauceflexPictureInPicture"
    private static let noEvent = "sauceflexPictureInPictureNoEvent"

    private static func button(_ visible: Bool, afterMs delay: Int? = nil) -> JSON {
        var object = JSONObject()
        object.append("kind", "evaluateJavaScript")
        object.append(
            "script",
            .string(
                #"(function(){if(typeof sauceflexPictureInPictureUse!=="function"){return false}"#
                    + "window.dispatchEvent(sauceflexPictureInPictureUse(\(visible)));return true})()"
            ))
        object.append("afterMs", ifPresent: delay.map { .integer($0) })
        return .object(object)
    }

    @Test func `a page that hides its overlay itself gets no script`() throws {
        var session = try SauceflexBridgeTests.ready()
        #expect(try session.post(Self.byPage).orders == [Self.start])
        let started = try session.pip("started")
        #expect(started.orders.isEmpty)
        #expect(
            started.patch == [
                "pip": ["phase": "active", "overlayHidden": true],
                "presentation": ["mode": "pip"],
            ])
        #expect(try session.post(Self.byPage).orders == [Self.stop])
        let stopped = try session.pip("stopped")
        #expect(stopped.orders.isEmpty)
        #expect(session.viewing.state.pip.overlayHidden == false)
    }

    @Test func `a page that does not is told on and off`() throws {
        var session = try SauceflexBridgeTests.ready()
        #expect(try session.post(Self.noEvent).orders == [Self.start])
        #expect(try session.pip("started").orders == [Self.on])
        #expect(try session.post(Self.noEvent).orders == [Self.stop])
        #expect(try session.pip("stopped").orders == [Self.off])
    }

    @Test func `a window that a command or the system opens or closes needs the script`() throws {
        var session = try SauceflexBridgeTests.ready()
        // By a command, closed by the page.
        try session.send(#"{"type":"pip.start"}"#, from: TestSession.mirror)
        #expect(try session.pip("started").orders == [Self.on])
        try session.post(Self.byPage)
        #expect(try session.pip("stopped").orders.isEmpty)
        // By the system, closed by it.
        try session.pip("willStart")
        #expect(try session.pip("started").orders == [Self.on])
        #expect(try session.pip("stopped").orders == [Self.off])
        // By the page, closed by the system.
        try session.post(Self.byPage)
        #expect(try session.pip("started").orders.isEmpty)
        #expect(try session.pip("stopped").orders == [Self.off])
        // By the page, closed by a command.
        try session.post(Self.byPage)
        try session.pip("started")
        try session.send(#"{"type":"pip.stop"}"#)
        #expect(try session.pip("stopped").orders == [Self.off])
    }

    @Test(arguments: [byPage, noEvent])
    func `a start that comes to nothing lets the page show its overlay again`(
        handler: String
    ) throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post(handler)
        let outcome = try session.pip("failed")
        #expect(outcome.orders == [Self.off])
        #expect(session.viewing.state.pip.phase == .inactive)
        #expect(session.viewing.state.pip.error == "failed")
    }

    @Test func `a stop that fails lets the page show its overlay again`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post(Self.byPage)
        try session.pip("started")
        try session.post(Self.byPage)
        #expect(try session.pip("failed").orders == [Self.off])
    }

    @Test func `both handlers in one session are warned of with each message`() throws {
        var session = try SauceflexBridgeTests.ready()
        #expect(try session.post(Self.byPage).codes.isEmpty)
        try session.pip("started")
        #expect(try session.post(Self.byPage).codes.isEmpty)
        try session.pip("stopped")
        #expect(try session.post(Self.noEvent).codes == ["sauceflex.pipMixed"])
        try session.pip("started")
        try session.restart()
        #expect(try session.post(Self.byPage).codes == ["sauceflex.pipMixed"])
    }

    @Test func `a refused message is none of the page's ways`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.send(#"{"type":"device.capabilities","pip":false}"#)
        #expect(try session.reason(TestSession.message(Self.noEvent)) == "pip.unsupported")
        try session.send(#"{"type":"device.capabilities","pip":true}"#)
        #expect(try session.post(Self.byPage).codes.isEmpty)
    }

    @Test func `a message while the window goes away is refused`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post(Self.byPage)
        try session.pip("started")
        try session.post(Self.byPage)
        #expect(try session.reason(TestSession.message(Self.byPage)) == "pip.stopping")
    }

    @Test func `leaving takes a start back and stops it when it comes late`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post(Self.byPage)
        let left = try session.post("sauceflexMoveExit")
        #expect(left.effects.map(\.order.kind) == ["setKeepAwake", "dismissPlayer"])
        #expect(!session.waiting.contains("startPictureInPicture"))
        #expect(session.viewing.state.pip.phase == .inactive)
        #expect(try session.pip("started").orders == [Self.stop])
        #expect(try session.pip("started").orders.isEmpty)
    }

    @Test func `leaving with the window open stops it first`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post(Self.noEvent)
        try session.pip("started")
        let left = try session.post("sauceflexMoveExit")
        #expect(
            left.effects.map(\.order.kind) == [
                "stopPictureInPicture", "setKeepAwake", "dismissPlayer",
            ])
        let stopped = try session.pip("stopped")
        #expect(stopped.orders.isEmpty)
        #expect(session.viewing.state.pip.phase == .inactive)
    }

    @Test(arguments: [true, false])
    func `the button is set at once when ready, and a moment after the page has entered`(
        visible: Bool
    ) throws {
        var session = try TestSession.loading("sauceflex", #"{"liveId":"a"}"#)
        let early = try session.send(#"{"type":"pip.button","visible":\#(visible)}"#)
        #expect(early.orders.isEmpty)
        #expect(early.patch == ["pip": ["button": .bool(visible)]])
        #expect(
            try session.post("sauceflexEnter").orders.first
                == Self.button(visible, afterMs: 500))
        let late = try session.send(#"{"type":"pip.button","visible":\#(!visible)}"#)
        #expect(late.orders == [Self.button(!visible)])
        let again = try session.send(#"{"type":"pip.button","visible":\#(!visible)}"#)
        #expect(again.kind == .unchanged)
        try session.navigate("terminated")
        #expect(
            try session.post("sauceflexEnter").orders.first
                == Self.button(!visible, afterMs: 500))
    }

    @Test func `the configuration says how long a moment is`() throws {
        var policy = Policy()
        policy.sauceflex.pipUseDelayMilliseconds = 1200
        var session = try TestSession.loading("sauceflex", #"{"liveId":"a"}"#, policy: policy)
        try session.send(#"{"type":"pip.button","visible":true}"#)
        #expect(
            try session.post("sauceflexEnter").orders.first == Self.button(true, afterMs: 1200))
    }

    @Test func `a page whose button nobody set is told nothing`() throws {
        var session = try TestSession.loading("sauceflex", #"{"liveId":"a"}"#)
        #expect(try session.post("sauceflexEnter").effects.map(\.order.kind) == ["setKeepAwake"])
    }
}

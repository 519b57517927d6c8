import Coordinator
import Testing
import coordd

@Suite struct SimulationMirrorTests {
    private static func snapshot(_ revision: UInt64, epoch: String = "e1") -> Reply.Subscribe {
        Reply.Subscribe(
            position: StreamPosition(epoch: epoch, offset: revision),
            data: Array(#"{"rev":\#(revision),"state":{"n":\#(revision)}}"#.utf8))
    }

    private static func publication(_ revision: UInt64) -> Publication {
        let text = """
            {"rev":\(revision),"at":1767225600123,"by":{"device":"tv","role":"mirror"},\
            "event":{"type":"betslip.open"},"patch":{"n":\(revision)}}
            """
        return Publication(offset: revision, data: Array(text.utf8))
    }

    @Test func `a snapshot and the publications after it give the state`() {
        var mirror = Mirror()
        #expect(mirror.subscribed(Self.snapshot(4), asked: nil) == .snapshot(afterRecovery: false))
        #expect(
            mirror.received(Self.publication(5))
                == .revision(5, by: "tv", event: "betslip.open"))
        #expect(mirror.canonicalText == #"{"n":5}"#)
        #expect(mirror.position == StreamPosition(epoch: "e1", offset: 5))
        #expect(mirror.faults.isEmpty)
    }

    @Test func `a missing revision is a gap`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        _ = mirror.received(Self.publication(6))
        #expect(mirror.takeFaults().map(\.kind) == [.gap])
        #expect(mirror.position?.offset == 6)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `a revision that is there already is a repetition and changes nothing`(revision: UInt64) {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        #expect(mirror.received(Self.publication(revision)) == nil)
        #expect(mirror.takeFaults().map(\.kind) == [.repetition])
        #expect(mirror.canonicalText == #"{"n":4}"#)
    }

    @Test func `a signal changes nothing`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        let text = #"{"at":1,"by":{"role":"player"},"event":{"type":"device.keyboard","height":0}}"#
        let signal = Publication(offset: nil, data: Array(text.utf8))
        #expect(mirror.received(signal) == .signal(event: "device.keyboard"))
        #expect(mirror.position?.offset == 4)
        #expect(mirror.faults.isEmpty)
    }

    @Test func `a complete recovery goes on where the mirror was`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        let asked = mirror.position
        let reply = Reply.Subscribe(
            position: asked, wasRecovering: true, recovered: true,
            publications: [Self.publication(5), Self.publication(6)])
        #expect(
            mirror.subscribed(reply, asked: asked)
                == .recovered([
                    .revision(5, by: "tv", event: "betslip.open"),
                    .revision(6, by: "tv", event: "betslip.open"),
                ]))
        #expect(mirror.faults.isEmpty)
        #expect(mirror.position?.offset == 6)
    }

    @Test func `a recovery with the newest offset instead of the requested one is a fault`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        let asked = mirror.position
        let reply = Reply.Subscribe(
            position: StreamPosition(epoch: "e1", offset: 5), wasRecovering: true, recovered: true,
            publications: [Self.publication(5)])
        _ = mirror.subscribed(reply, asked: asked)
        #expect(mirror.takeFaults().map(\.kind) == [.recovery])
    }

    @Test func `a recovery in another epoch is a fault`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        let asked = mirror.position
        let reply = Reply.Subscribe(
            position: StreamPosition(epoch: "e2", offset: 4), wasRecovering: true, recovered: true)
        _ = mirror.subscribed(reply, asked: asked)
        #expect(mirror.takeFaults().map(\.kind) == [.epoch])
    }

    @Test func `a snapshot in place of a recovery starts anew in its epoch`() {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        var reply = Self.snapshot(2, epoch: "e2")
        reply.wasRecovering = true
        #expect(
            mirror.subscribed(reply, asked: mirror.position) == .snapshot(afterRecovery: true))
        #expect(mirror.position == StreamPosition(epoch: "e2", offset: 2))
        #expect(mirror.canonicalText == #"{"n":2}"#)
        #expect(mirror.faults.isEmpty)
    }

    @Test(arguments: [
        "[]", #"{"rev":5,"at":1,"event":{"type":"x"}}"#,
        #"{"rev":6,"at":1,"event":{"type":"x"},"patch":{}}"#,
        #"{"rev":5,"at":1,"event":{},"patch":{}}"#, "{",
    ])
    func `a publication of another form is malformed`(text: String) {
        var mirror = Mirror()
        _ = mirror.subscribed(Self.snapshot(4), asked: nil)
        #expect(mirror.received(Publication(offset: 5, data: Array(text.utf8))) == nil)
        #expect(mirror.takeFaults().map(\.kind) == [.malformed])
    }
}

import Actors
import Coordinator
import TestSupport
import Testing

/// Nothing leaves a session before what it was computed from is durable.
struct OutputGateHostTests {
    private static let stake: JSON = ["type": "betslip.update", "stake": "1.00"]
    private static let fullscreen: JSON = ["type": "fullscreen.set", "on": true]
    private static let keyboard: JSON = ["type": "device.keyboard", "height": 300]

    @Test func `the first subscribe waits until the epoch is durable`() throws {
        let rig = try GateRig()
        let (first, second) = (rig.peer(1), rig.peer(2))
        rig.subscribe(first, 1)
        rig.subscribe(second, 1)
        #expect(rig.store.pending.count == 1)
        #expect(first.heard() == [])
        rig.settle()
        #expect(try first.heard().outline() == ["1 subscribe"])
        #expect(try second.heard().outline() == ["1 subscribe"])
    }

    @Test func `nothing leaves before the commit, and then all of it in order`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        let (other, late) = (rig.peer(3), rig.peer(4))
        rig.apply(mirror, 10, Self.fullscreen)
        rig.apply(phone, 11, Self.keyboard)
        rig.ask(other, 12, .state)
        rig.ask(other, 13, .history(Command.History(channel: "session:a", limit: -1)))
        rig.apply(other, 14, ["type": "door.open"])
        rig.subscribe(late, 15)
        rig.ask(phone, 16, .acknowledge(done: [1], failed: []))
        rig.ask(other, 17, .takeStage, device: "device-3")
        let all = [phone, mirror, other, late]
        #expect(all.flatMap { $0.heard() } == [])

        // Full screen: its publication, effects and answer, then what was asked for after it.
        #expect(rig.store.pending.count == 3)
        rig.settle(1)
        #expect(
            try phone.heard().outline()
                == [
                    "session:a 2", "stage:a signal", "stage:a signal", "session:a signal", "11 rpc",
                ])
        #expect(
            try mirror.heard().outline() == ["session:a 2", "10 rpc", "session:a signal"])
        #expect(
            try other.heard().outline() == ["12 rpc", "13 history", "14 error 422"])
        #expect(try late.heard().outline() == ["15 subscribe"])
        // The acknowledgement changes memory only.
        rig.settle(1)
        #expect(try phone.heard().outline() == ["16 rpc"])
        #expect(mirror.heard() == [])
        // The take-over: the old stage is told last, the taker is answered.
        rig.settle()
        let told = try phone.heard().outline()
        #expect(told.first == "session:a 3")
        #expect(told.last == "stage:a unsubscribe 2100")
        #expect(try other.heard().outline() == ["17 rpc"])
        #expect(try late.heard().outline() == ["session:a 3"])
    }

    @Test func `a page of history shows nothing that is not durable`() throws {
        let rig = try GateRig()
        let (_, mirror) = rig.opened()
        let other = rig.peer(3)
        rig.apply(mirror, 10, Self.stake)
        rig.apply(mirror, 11, Self.fullscreen)
        rig.ask(other, 12, .history(Command.History(channel: "session:a", limit: -1)))
        rig.settle(1)
        #expect(try mirror.heard().outline() == ["session:a 2", "10 rpc"])
        #expect(other.heard() == [])
        rig.settle()
        #expect(try mirror.heard().outline() == ["session:a 3", "11 rpc"])
        #expect(other.heard().first?.contains(#""offset":3}}"#) == true)
    }

    @Test func `a failed commit is answered 503 and leaves the last durable state`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        let before = try rig.state()
        #expect(before.unsigned("rev") == 1)
        rig.apply(mirror, 10, Self.stake, id: "x")
        rig.apply(mirror, 11, Self.fullscreen)
        rig.ask(phone, 12, .state)
        rig.apply(mirror, 13, Self.stake, id: "x")
        rig.fail()
        let lines = mirror.heard()
        #expect(try lines.outline() == ["10 error 503", "11 error 503", "13 error 503"])
        #expect(lines.allSatisfy { $0.contains(#""temporary":true"#) })
        #expect(try phone.heard().outline() == ["12 error 503"])
        #expect(try rig.state() == before)

        // Later events work, and the id that failed is not remembered.
        rig.apply(mirror, 14, Self.stake, id: "x")
        rig.settle()
        let later = mirror.heard()
        #expect(try later.outline() == ["session:a 2", "14 rpc"])
        #expect(later.last == #"{"id":14,"rpc":{"data":{"rev":2}}}"#)
        #expect(try rig.state().at("state", "betslip", "stake") == "1.00")
        #expect(try rig.state().at("state", "presentation", "mode") == "inline")
    }

    @Test(arguments: [true, false])
    func `what was durable before a failure stays, and is told before it`(isTold: Bool) throws {
        let rig = try GateRig()
        let (_, mirror) = rig.opened()
        rig.apply(mirror, 10, Self.stake)
        rig.apply(mirror, 11, Self.fullscreen)
        if isTold {
            rig.settle(1)
            rig.fail()
        } else {
            rig.fail(after: 1)
        }
        #expect(
            try mirror.heard().outline() == ["session:a 2", "10 rpc", "11 error 503"])
        #expect(try rig.state().unsigned("rev") == 2)
    }

    @Test func `a session that could not be made is made by the next subscribe`() throws {
        let rig = try GateRig()
        let client = rig.peer(1)
        rig.subscribe(client, 1)
        rig.fail()
        #expect(try client.heard().outline() == ["1 error 503"])
        rig.subscribe(client, 2)
        // Its epoch is not durable yet.
        #expect(client.heard() == [])
        rig.settle()
        #expect(try client.heard().outline() == ["2 subscribe"])
    }

    enum StageChange: CaseIterable { case takeOver, replacement, closing }

    @Test(arguments: StageChange.allCases)
    func `a change of the stage that is not durable leaves it where it was`(
        change: StageChange
    ) throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        let other = rig.peer(3)
        switch change {
        case .takeOver: rig.ask(other, 10, .takeStage)
        case .replacement: rig.ask(other, 10, .attachStage(facts: nil), device: "device-1")
        case .closing: rig.ask(phone, 10, .close)
        }
        rig.fail()
        let answers = try phone.heard().outline() + other.heard().outline()
        #expect(answers == ["10 error 503"])
        #expect(mirror.heard() == [])
        rig.apply(phone, 11, Self.keyboard)
        rig.settle()
        #expect(try phone.heard().outline() == ["session:a signal", "11 rpc"])
        #expect(try rig.state().unsigned("rev") == 1)
    }

    @Test func `a stage whose loss was not durable is detached a second later`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        rig.system.connectionLost(phone.number, following: [rig.session])
        #expect(rig.store.pending.count == 1)
        rig.fail()
        #expect(rig.store.pending.isEmpty)
        rig.loop.advance(byMilliseconds: 999)
        #expect(rig.store.pending.isEmpty)
        rig.loop.advance(byMilliseconds: 1)
        #expect(rig.store.pending.count == 1)
        rig.settle()
        #expect(try mirror.heard().outline() == ["session:a 2"])
        // Nothing is tried again after that.
        rig.loop.advance(byMilliseconds: 5000)
        #expect(rig.store.pending.isEmpty)
    }

    @Test func `a timer whose event was not durable goes off again a second later`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        rig.system.connectionLost(phone.number, following: [rig.session])
        rig.settle()
        _ = mirror.heard()
        // The grace of 30 s ends, and then the disk is full for three tries.
        rig.loop.advance(byMilliseconds: 30_000)
        for _ in 0..<3 {
            #expect(rig.store.pending.count == 1)
            rig.fail()
            rig.loop.advance(byMilliseconds: 999)
            #expect(rig.store.pending.isEmpty)
            rig.loop.advance(byMilliseconds: 1)
        }
        rig.settle()
        #expect(try mirror.heard().outline() == ["session:a 3"])
        #expect(try rig.state().at("state", "stage") == nil)
    }

    @Test func `who leaves while a deletion fails has left`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        rig.ask(phone, 10, .close)
        rig.ask(phone, 11, .unsubscribe(.stage(rig.session)))
        rig.ask(mirror, 12, .unsubscribe(.session(rig.session)))
        rig.ask(mirror, 13, .state)
        rig.fail()
        #expect(try phone.heard().outline() == ["10 error 503", "11 unsubscribe"])
        #expect(try mirror.heard().outline() == ["12 unsubscribe", "13 error 503"])

        // The stage is gone too, which is tried again after a second.
        rig.loop.advance(byMilliseconds: 1000)
        rig.settle()
        #expect(try phone.heard().outline() == ["session:a 2"])
        #expect(mirror.heard() == [])
        #expect(try rig.state().at("state", "stage", "connected") == false)
    }

    @Test func `a stage lost while a commit fails is lost`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        rig.apply(mirror, 10, Self.stake)
        rig.system.connectionLost(phone.number, following: [rig.session])
        rig.fail()
        #expect(try mirror.heard().outline() == ["10 error 503"])
        rig.apply(mirror, 11, Self.stake)
        rig.settle()
        #expect(try mirror.heard().outline() == ["session:a 2", "session:a 3", "11 rpc"])
        #expect(try rig.state().at("state", "stage", "connected") == false)
    }
}

import Actors
import Coordinator
import TestSupport
import Testing

struct PassivationTests {
    private static let stake: JSON = ["type": "betslip.update", "stake": "1.00"]

    @Test func `an idle session keeps epoch, revision, history and answers`() throws {
        let rig = try GateRig(idleSeconds: 5)
        let client = rig.peer(1)
        rig.subscribe(client, 1)
        rig.settle()
        rig.apply(client, 2, Self.stake, id: "x")
        rig.apply(client, 3, ["type": "fullscreen.toggle"])
        rig.settle()
        let before = try rig.state()
        _ = client.heard()

        // Who is subscribed keeps it active.
        rig.loop.advance(byMilliseconds: 20_000)
        #expect(rig.system.activeCount == 1)
        rig.system.connectionLost(1, following: [rig.session])
        rig.loop.advance(byMilliseconds: 10_000)
        #expect(rig.system.activeCount == 0)
        #expect(rig.store.pending.count == 0)

        #expect(try rig.state() == before)
        #expect(rig.system.activeCount == 1)
        let again = rig.peer(2)
        rig.ask(
            again, 4,
            .apply(SessionCall.Application(event: JSONDocument(root: Self.stake), id: "x")),
            device: "device-1")
        #expect(
            again.heard() == [#"{"id":4,"rpc":{"data":{"rev":1,"duplicate":true}}}"#])
        let position = StreamPosition(epoch: before["epoch"]?.string ?? "", offset: 0)
        rig.ask(again, 5, .subscribe(SessionCall.Subscription(recover: position)))
        let line = try #require(again.heard().first)
        #expect(line.contains(#""recovered":true"#))
        #expect(line.contains(#""offset":1}"#))
        #expect(line.contains(#""offset":2}"#))
        rig.apply(again, 6, ["type": "fullscreen.toggle"])
        rig.settle()
        #expect(try again.heard().outline() == ["session:a 3", "6 rpc"])
    }

    @Test func `a session with a commit under way stays`() throws {
        let rig = try GateRig(idleSeconds: 1)
        let client = rig.peer(1)
        rig.subscribe(client, 1)
        rig.settle()
        rig.apply(client, 2, Self.stake)
        rig.system.connectionLost(1, following: [rig.session])
        rig.loop.advance(byMilliseconds: 5000)
        #expect(rig.system.activeCount == 1)
        rig.settle()
        rig.loop.advance(byMilliseconds: 5000)
        #expect(rig.system.activeCount == 0)
        #expect(try rig.state().unsigned("rev") == 1)
    }

    @Test func `calls wait for a load and keep their order`() throws {
        let rig = try GateRig()
        rig.store.delaysLoads = true
        let clients = (UInt64(1)...1000).map { rig.peer($0) }
        for client in clients { rig.subscribe(client, 1) }
        rig.apply(clients[0], 2, Self.stake)
        #expect(rig.store.pendingLoads == 1)
        rig.store.releaseLoads()
        rig.loop.run()
        #expect(rig.store.pending.count == 2)
        rig.settle()
        #expect(rig.store.count == 1)
        #expect(try clients[0].heard().outline() == ["1 subscribe", "session:a 1", "2 rpc"])
        let answers = clients.dropFirst().compactMap { $0.heard().first }
        #expect(answers.count == 999)
        #expect(Set(answers).count == 1)
    }

    @Test func `a stage lost during the load is detached`() throws {
        let rig = try GateRig()
        let phone = rig.peer(1)
        rig.subscribe(phone, 1)
        rig.store.delaysLoads = true
        rig.settle()
        rig.system.connectionLost(1, following: [rig.session])
        rig.loop.advance(byMilliseconds: 120_000)
        #expect(rig.system.activeCount == 0)

        let again = rig.peer(2)
        rig.ask(again, 1, .attachStage(facts: nil))
        rig.system.connectionLost(2, following: [rig.session])
        rig.store.releaseLoads()
        rig.loop.run()
        rig.settle()
        #expect(again.heard() == [])
        rig.store.delaysLoads = false
        #expect(try rig.state().at("state", "stage", "connected") == false)
    }
}

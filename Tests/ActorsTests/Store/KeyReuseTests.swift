import Actors
import Coordinator
import TestSupport
import Testing

/// A session's key in the tables is never given again while the journal has rows of it.
@Suite(.timeLimit(.minutes(5)))
struct KeyReuseTests {
    @Test func `a session made after a restart does not get the commits of a deleted one`() throws {
        let rig = try StoreRig()
        let peer = rig.peer()
        let (old, newest) = (try StoreRig.id("old"), try StoreRig.id("newest"))
        // Its commits hold the journal back.
        try rig.subscribe(peer, to: old)
        try rig.stakes(0..<2, to: old, by: peer)
        try rig.subscribe(peer, to: newest)
        try rig.attach(peer, to: newest)
        try rig.stakes(0..<3, to: newest, by: peer)
        let answer = try rig.ask(peer, .close, to: newest, device: "phone")
        #expect(answer.error == nil)
        #expect(try rig.ask(peer, .state, to: newest).error?.code == 102)
        let again = try rig.crashed()
        rig.close()
        let other = again.peer()
        let next = try StoreRig.id("next")
        try again.subscribe(other, to: next)
        let revision = try again.stakes(0..<1, to: next, by: other)
        let last = try again.crashed()
        again.close()
        #expect(try last.state(of: next).unsigned("rev") == revision)
        #expect(last.damage == [])
        last.close()
    }
}

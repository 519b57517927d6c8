import Actors
import Coordinator
import Testing

@Suite struct LogGateTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(milliseconds: milliseconds)
    }

    @Test func `one line a second gets through and learns of those that did not`() {
        var gate = LogGate()
        #expect(gate.admit("a", at: at(5000)) == 0)
        #expect(gate.admit("a", at: at(5001)) == nil)
        #expect(gate.admit("a", at: at(5999)) == nil)
        #expect(gate.admit("a", at: at(6000)) == 2)
        #expect(gate.admit("a", at: at(6001)) == nil)
        #expect(gate.admit("a", at: at(9000)) == 1)
        #expect(gate.admit("a", at: at(20_000)) == 0)
    }

    @Test func `kinds do not wait for each other`() {
        var gate = LogGate()
        #expect(gate.admit("a", at: at(0)) == 0)
        #expect(gate.admit("b", at: at(0)) == 0)
    }

    @Test func `a clock set back closes the gate for no longer than before`() {
        var gate = LogGate()
        #expect(gate.admit("a", at: at(1_000_000)) == 0)
        #expect(gate.admit("a", at: at(1000)) == 0)
        #expect(gate.admit("a", at: at(1500)) == nil)
    }
}

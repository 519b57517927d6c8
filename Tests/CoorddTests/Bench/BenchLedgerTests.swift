import Testing
import coordd

@Suite struct BenchLedgerTests {
    /// What is in a ledger after these events came, and `sent` were sent.
    private static func ledger(_ numbers: [UInt32], sent: UInt32) -> [Int] {
        var ledger = BenchLedger()
        for number in numbers { _ = ledger.arrived(number) }
        ledger.close(sent: sent)
        return [ledger.arrived, ledger.lost, ledger.disordered]
    }

    @Test func `all events in order are no fault`() {
        #expect(Self.ledger([0, 1, 2], sent: 3) == [3, 0, 0])
    }

    @Test func `what is skipped is lost`() {
        #expect(Self.ledger([0, 3], sent: 4) == [2, 2, 0])
    }

    @Test func `what does not come before the end is lost`() {
        #expect(Self.ledger([0], sent: 3) == [1, 2, 0])
        #expect(Self.ledger([], sent: 2) == [0, 2, 0])
    }

    @Test func `an event that comes twice or late is told`() {
        #expect(Self.ledger([0, 0, 1], sent: 2) == [2, 0, 1])
        #expect(Self.ledger([1, 0, 2], sent: 3) == [2, 1, 1])
    }
}

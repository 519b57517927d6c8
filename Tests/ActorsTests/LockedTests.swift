import Actors
import TestSupport
import Testing

struct LockedTests {
    @Test func `no change of eight threads is lost`() {
        let count = Locked(0)
        onThreads(8) { _ in
            for _ in 0..<1000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8000)
    }

    @Test func `an error leaves the lock open`() {
        let value = Locked(1)
        #expect(throws: UVError.self) {
            try value.withLock { value throws(UVError) in
                value = 2
                throw UVError(code: -1, call: "test")
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}

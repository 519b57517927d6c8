import Coordinator
import Testing

@Suite struct RejectionTests {
    @Test func `each kind has its code, and its reason ahead of a colon`() {
        #expect(
            Rejection.invalid("event.stake", "is missing")
                == Rejection(code: 422, message: "event.invalid: event.stake is missing"))
        #expect(
            Rejection.forbidden("role.forbidden", "no")
                == Rejection(code: 103, message: "role.forbidden: no"))
        #expect(
            Rejection.conflict("betslip.busy", "b1 is in flight")
                == Rejection(code: 409, message: "betslip.busy: b1 is in flight"))
    }

    @Test func `a warning is a code and a message`() {
        #expect(
            Warning("bridge.unhandled", "no").json == ["code": "bridge.unhandled", "message": "no"])
    }
}

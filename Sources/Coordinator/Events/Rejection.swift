/// Why an event changes nothing (contract: protocol, Errors).
package struct Rejection: Error, Sendable, Equatable {
    /// 103, 409, 422 or 423.
    package var code: UInt32
    /// A stable reason, a colon, then what is wrong and where.
    package var message: String

    /// A rejection in full.
    package init(code: UInt32, message: String) {
        self.code = code
        self.message = message
    }

    /// 422: a field of the event is missing or wrong; `path` names it.
    package static func invalid(_ path: String, _ what: String) -> Rejection {
        Rejection(code: 422, message: "event.invalid: \(path) \(what)")
    }

    /// 103: the role, or not being the stage, forbids it.
    package static func forbidden(_ reason: String, _ what: String) -> Rejection {
        Rejection(code: 103, message: "\(reason): \(what)")
    }

    /// 409: the state does not allow it.
    package static func conflict(_ reason: String, _ what: String) -> Rejection {
        Rejection(code: 409, message: "\(reason): \(what)")
    }
}

/// Something that was skipped while the rest of an event counted.
package struct Warning: Sendable, Equatable {
    /// The stable code, such as `bridge.unhandled`.
    package var code: String
    /// What was skipped and why.
    package var message: String

    /// A warning in full.
    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The warning as answers and publications show it.
    package var json: JSON {
        ["code": .string(code), "message": .string(message)]
    }
}

package import Coordinator

/// What a command was answered.
package enum Answer: Equatable {
    /// The result object.
    case result(JSON)
    /// The error.
    case failure(ReplyError)

    /// The answer in a message, if it answers the command `id`.
    init?(_ message: JSONCodec.ServerMessage, id: UInt32) {
        switch message {
        case .reply(id, _, let result): self = .result(result)
        case .failure(id, let error): self = .failure(error)
        case .ping, .reply, .failure, .push: return nil
        }
    }

    /// The result, or `null` for an error.
    package var result: JSON {
        if case .result(let result) = self { result } else { .null }
    }

    /// The number of the error; nil for a result.
    package var code: UInt32? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

/// Something that the server said without being asked.
package struct PushMessage: Equatable {
    /// The channel; nil for a disconnect.
    package var channel: String?
    /// `pub`, `join`, `leave`, `unsubscribe` or `disconnect`.
    package var kind: String
    /// What is under that key.
    package var payload: JSON
}

extension JSON {
    /// The value at a path of member names.
    package func at(_ path: String...) -> JSON? {
        path.reduce(Optional(self)) { $0?[$1] }
    }

    /// An unsigned integer at a path; nil when it is something else.
    package func unsigned(_ path: String...) -> UInt64? {
        path.reduce(Optional(self)) { $0?[$1] }?.number?.unsigned
    }
}

extension RawClient {
    /// A connected client of a device.
    ///
    /// - Throws: ``Failure``.
    package convenience init(
        port: UInt16, device: String, receiveBytes: Int32? = nil
    ) throws(Failure) {
        try self.init(port: port, receiveBytes: receiveBytes)
        let answer = try call(#""connect":{"data":{"device":"\#(device)"}}"#)
        guard answer.code == nil else { throw .unexpected("\(answer)") }
    }

    /// Subscribes to `session:<session>`; `more` are further fields, each after a comma.
    ///
    /// - Throws: ``Failure``.
    @discardableResult
    package func subscribe(_ session: String, _ more: String = "") throws(Failure) -> Answer {
        try call(#""subscribe":{"channel":"session:\#(session)"\#(more)}"#)
    }

    /// Subscribes to `stage:<session>`; `more` are further fields, each after a comma.
    ///
    /// - Throws: ``Failure``.
    @discardableResult
    package func attach(_ session: String, _ more: String = "") throws(Failure) -> Answer {
        try call(#""subscribe":{"channel":"stage:\#(session)"\#(more)}"#)
    }

    /// The request `session.apply`; `more` are further fields, each after a comma.
    package static func applying(
        _ event: String, to session: String, _ more: String = ""
    ) -> String {
        #""rpc":{"method":"session.apply","data":{"session":"\#(session)","event":\#(event)\#(more)}}"#
    }

    /// Applies an event; the result is the method's own.
    ///
    /// - Throws: ``Failure``.
    @discardableResult
    package func apply(
        _ event: String, to session: String, _ more: String = ""
    ) throws(Failure) -> Answer {
        try rpcAnswer(begin(Self.applying(event, to: session, more)))
    }

    /// Calls a method that takes the session and further fields, each after a comma.
    ///
    /// - Throws: ``Failure``.
    @discardableResult
    package func rpc(
        _ method: String, _ session: String, _ more: String = ""
    ) throws(Failure) -> Answer {
        try rpcAnswer(
            begin(#""rpc":{"method":"\#(method)","data":{"session":"\#(session)"\#(more)}}"#))
    }

    /// Waits for a method's answer; the result is the method's own.
    ///
    /// - Throws: ``Failure``.
    package func rpcAnswer(_ id: UInt32) throws(Failure) -> Answer {
        let answer = try answer(to: id)
        guard case .result(let result) = answer, let data = result["data"] else { return answer }
        return .result(data)
    }
}

extension JSONCodec {
    /// A message of a server as a tool reads it: what it is about, and the rest as JSON.
    package enum ServerMessage: Sendable, Equatable {
        /// The empty object, to be answered by the same.
        case ping
        /// A result; `kind` is its key, such as `subscribe`.
        case reply(id: UInt32, kind: String, result: JSON)
        /// An error; the id is 0 when it answers no command.
        case failure(id: UInt32, ReplyError)
        /// A push; `kind` is its key, such as `pub`, and some have no channel.
        case push(channel: String?, kind: String, payload: JSON)
    }
}

/// Why a line is no command.
package enum CommandFault: Error, Sendable, Equatable {
    /// The connection cannot go on; `detail` is for the log.
    case disconnect(Disconnect, detail: String)
    /// The command `id` is answered with an error, and the connection goes on.
    case reply(id: UInt32, ReplyError)
}

internal import Coordinator

/// What one event loop tells another one.
enum ShardMail: Sendable {
    /// A connection of the sender asks a session of the receiver.
    case request(SessionRequest, creates: Bool, from: Int, WireEncoding)
    /// A session of the sender says something to a connection of the receiver.
    case said(RemotePeer, RemotePeer.Word)
    /// A connection of the sender is gone that had asked sessions of the receiver.
    case lost(UInt64, following: [SessionID])
    /// A session of the sender wants a change to be durable, of the loop that has the store.
    case commit(Commit, SessionID)
    /// That loop says how it ended, and which of the session's commits is the newest durable one.
    case settled(Settlement, newest: Int64?)
    /// A connection of the sender goes on with the receiver.
    case arrival(Passage)
    /// Something rare.
    case work(@Sendable (Shard) -> Void)
}

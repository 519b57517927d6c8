/// Everything that can happen to a session.
package enum SessionInput: Sendable {
    /// A client asks something.
    case call(SessionCall, from: Caller, command: UInt32)
    /// A connection is gone, and with it the stage it may have held.
    case connectionLost(UInt64)
    /// The time asked for with ``SessionAction/setTimer(_:)`` has come.
    case timerFired
    /// Every commit up to this sequence number is durable.
    case committed(through: UInt64)
    /// This commit failed, and with it all later ones of the session.
    case commitFailed(from: UInt64, reason: String)
    /// A snapshot could not be written.
    case snapshotFailed
}

/// What a session asks of the code that hosts it, to be done in this order.
package enum SessionAction: Sendable, Equatable {
    /// Make a change durable and report it with its sequence number.
    case commit(Commit)
    /// Write the durable session as a whole, so that its commits so far are not needed any more.
    indirect case snapshot(StoredSession)
    /// Answer a command.
    case reply(connection: UInt64, command: UInt32, Reply.Body)
    /// Answer a subscribe, then count the caller among the subscribers of `session:<id>`.
    indirect case admit(Caller, joinLeave: Bool, command: UInt32, Reply.Subscribe)
    /// Answer a subscribe to `stage:<id>`.
    indirect case admitStage(Caller, command: UInt32, Reply.Subscribe)
    /// Drop the caller from a channel's subscribers, then answer, or tell why.
    indirect case dismiss(Caller, Channel, command: UInt32, because: Unsubscribe? = nil)
    /// Send to every subscriber of `session:<id>`.
    case publish(Publication)
    /// Answer who follows a channel; with `isCounted`, only how many.
    indirect case presence(Caller, Channel, command: UInt32, isCounted: Bool)
    /// Send effects to the connection that holds the stage.
    case push([Publication], connection: UInt64)
    /// Tell a connection that it does not hold the stage any more.
    case revokeStage(connection: UInt64, Unsubscribe)
    /// Close a connection.
    case disconnect(connection: UInt64, Disconnect)
    /// The session is deleted: unsubscribe everyone and forget it.
    case dissolve
    /// Report ``SessionInput/timerFired`` at this time instead of any earlier asked for; nil: never.
    case setTimer(Instant?)
}

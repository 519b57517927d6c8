/// What the host does about a command.
package enum ClientAction: Sendable, Equatable {
    /// Nothing.
    case none
    /// Answer at once.
    case reply(Reply)
    /// Answer what is outstanding, then end the connection.
    case disconnect(Disconnect)
    /// End the connection at once, since it showed a token that is none.
    case reject(TokenFault)
    /// Answer, if there is an answer, then tell sessions that subscriptions to them have ended.
    case end([SessionRequest], Reply?)
    /// Ask a session, which is made for it when it does not exist and `creates` holds.
    case call(SessionRequest, creates: Bool)
}

/// What the host does because time has passed.
package enum ClientTick: Sendable, Equatable {
    /// Nothing.
    case none
    /// Send a ping.
    case ping
    /// Tell sessions that subscriptions to them have ended.
    case end([SessionRequest])
    /// End the connection.
    case disconnect(Disconnect)
}

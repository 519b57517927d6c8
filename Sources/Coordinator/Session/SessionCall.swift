/// What a client asks of one session, after its connection was checked.
package enum SessionCall: Sendable, Equatable {
    /// Follow `session:<id>` in a role.
    case subscribe(Subscription)
    /// Follow `stage:<id>` as its player, with an optional full report of facts.
    case attachStage(facts: JSONDocument?)
    /// Stop following one of the two channels; with a reason it is the server that ends it, no
    /// command is answered, and the client is told why.
    case unsubscribe(Channel, because: Unsubscribe? = nil)
    /// An event, by `session.apply` or by publishing on `session:<id>`.
    case apply(Application)
    /// `session.state`.
    case state
    /// `history` of `session:<id>`.
    case history(Command.History)
    /// `presence` of a channel.
    case presence(Channel)
    /// `presence_stats` of a channel.
    case presenceStats(Channel)
    /// `effects.ack`.
    case acknowledge(done: [UInt64], failed: [EffectFailure])
    /// `stage.take`.
    case takeStage
    /// `session.close`.
    case close

    /// The wishes of a subscriber.
    package struct Subscription: Sendable, Equatable {
        /// The role to act in.
        package var role: Role
        /// The position to recover from; nil when none is asked for.
        package var recover: StreamPosition?
        /// Whether joins and leaves are wanted.
        package var joinLeave: Bool
        /// Whether error 112 is wanted instead of a snapshot when recovery is impossible.
        package var refusesUnrecovered: Bool

        /// A subscriber's wishes.
        package init(
            role: Role = .mirror, recover: StreamPosition? = nil, joinLeave: Bool = false,
            refusesUnrecovered: Bool = false
        ) {
            self.role = role
            self.recover = recover
            self.joinLeave = joinLeave
            self.refusesUnrecovered = refusesUnrecovered
        }
    }

    /// An event with the conditions of its sender.
    package struct Application: Sendable, Equatable {
        /// The event as it came.
        package var event: JSONDocument
        /// The idempotency key, 1–64 bytes.
        package var id: String?
        /// The revision the sender saw; another present one is a conflict.
        package var ifRev: UInt64?
        /// Whether it came as `publish`, whose answer is empty.
        package var isPublish: Bool

        /// An event and its conditions.
        package init(
            event: JSONDocument, id: String? = nil, ifRev: UInt64? = nil, isPublish: Bool = false
        ) {
            self.event = event
            self.id = id
            self.ifRev = ifRev
            self.isPublish = isPublish
        }
    }
}

/// A device's verdict that an effect could not be carried out.
package struct EffectFailure: Sendable, Equatable {
    /// The effect's number.
    package var seq: UInt64
    /// The platform's code, as text.
    package var code: String
    /// The platform's words.
    package var message: String

    /// A failed effect.
    package init(seq: UInt64, code: String, message: String) {
        self.seq = seq
        self.code = code
        self.message = message
    }
}

/// Who makes a call.
package struct Caller: Sendable, Hashable {
    /// The connection's number, unique while the daemon runs.
    package var connection: UInt64
    /// The connection's public id.
    package var client: String
    /// The user; empty without tokens.
    package var user: String
    /// The device's stable id.
    package var device: String
    /// The role it subscribed in; holding the stage makes it a player.
    package var role: Role
    /// Whether it may place a bet as a mirror; only tokens forbid that.
    package var mayPlace: Bool
    /// What its token shows others of the user: one JSON text.
    package var info: [UInt8]?

    /// A caller.
    package init(
        connection: UInt64, client: String, user: String = "", device: String, role: Role,
        mayPlace: Bool = true, info: [UInt8]? = nil
    ) {
        self.connection = connection
        self.client = client
        self.user = user
        self.device = device
        self.role = role
        self.mayPlace = mayPlace
        self.info = info
    }
}

extension Caller {
    /// The HTTP API, which is neither a device nor a user.
    package static func api(connection: UInt64) -> Caller {
        Caller(connection: connection, client: "", device: "", role: .api)
    }
}

/// A call with its return address.
package struct SessionRequest: Sendable, Equatable {
    /// The session asked for.
    package var session: SessionID
    /// Who asks.
    package var caller: Caller
    /// The id of the command to answer.
    package var command: UInt32
    /// What is asked.
    package var call: SessionCall

    /// A call and its return address.
    package init(session: SessionID, caller: Caller, command: UInt32, call: SessionCall) {
        self.session = session
        self.caller = caller
        self.command = command
        self.call = call
    }
}

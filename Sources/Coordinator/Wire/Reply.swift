/// The answer to one command, independent of its encoding.
package struct Reply: Sendable, Equatable {
    /// The command's id.
    package var id: UInt32
    /// The result or the error.
    package var body: Body

    /// An answer to the command `id`.
    package init(id: UInt32, body: Body) {
        self.id = id
        self.body = body
    }

    /// The results of the Centrifugal client protocol v2.
    package enum Body: Sendable, Equatable {
        case error(ReplyError)
        case connect(Connect)
        case subscribe(Subscribe)
        case unsubscribe
        case publish
        case presence([ClientInfo])
        case presenceStats(clients: Int, users: Int)
        case history(History)
        /// `data` is one JSON text.
        case rpc(data: [UInt8])
        /// Seconds until the token is over; nil for never.
        case refresh(ttl: UInt32?)
        /// Seconds until the subscription's token is over; nil for never.
        case subRefresh(ttl: UInt32?)
    }

    /// The result of `connect`.
    package struct Connect: Sendable, Equatable {
        /// The connection's id.
        package var client: String
        /// The server's name and version.
        package var version: String
        /// Seconds between server pings; 0 for none.
        package var ping: UInt32
        /// Seconds until the token is over; nil for never.
        package var ttl: UInt32?

        /// A connect result.
        package init(client: String, version: String, ping: UInt32, ttl: UInt32? = nil) {
            self.client = client
            self.version = version
            self.ping = ping
            self.ttl = ttl
        }
    }

    /// The result of `subscribe`.
    package struct Subscribe: Sendable, Equatable {
        /// The stream's position; nil for a channel without a stream (`stage:`).
        package var position: StreamPosition?
        /// Whether the client asked to recover.
        package var wasRecovering: Bool
        /// Whether `publications` are all that the client missed.
        package var recovered: Bool
        /// The missed publications, oldest first.
        package var publications: [Publication]
        /// One JSON text: the snapshot, or the pending effects of a stage.
        package var data: [UInt8]?
        /// Seconds until the subscription's token is over; nil for never.
        package var ttl: UInt32?

        /// A subscribe result.
        package init(
            position: StreamPosition?, wasRecovering: Bool = false, recovered: Bool = false,
            publications: [Publication] = [], data: [UInt8]? = nil, ttl: UInt32? = nil
        ) {
            self.position = position
            self.wasRecovering = wasRecovering
            self.recovered = recovered
            self.publications = publications
            self.data = data
            self.ttl = ttl
        }
    }

    /// The result of `history`.
    package struct History: Sendable, Equatable {
        /// The newest position of the stream.
        package var position: StreamPosition
        /// The publications asked for.
        package var publications: [Publication]

        /// A history result.
        package init(position: StreamPosition, publications: [Publication]) {
            self.position = position
            self.publications = publications
        }
    }
}

/// One item of a channel.
package struct Publication: Sendable, Equatable {
    /// The place in the stream; nil for a signal or an effect.
    package var offset: UInt64?
    /// One JSON text, encoded once for all who get it.
    package var data: [UInt8]

    /// An item and its place.
    package init(offset: UInt64?, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }
}

/// A device in the presence of a channel.
package struct ClientInfo: Sendable, Hashable {
    /// The user; empty without tokens.
    package var user: String
    /// The client id of the connection that the device joined with.
    package var client: String
    /// The device's stable id.
    package var device: String
    /// The role it joined in.
    package var role: Role
    /// What the connection's token shows of the user, one JSON text; nil for nothing.
    package var info: [UInt8]?

    /// A device in a presence.
    package init(
        user: String = "", client: String, device: String, role: Role, info: [UInt8]? = nil
    ) {
        self.user = user
        self.client = client
        self.device = device
        self.role = role
        self.info = info
    }
}

/// What the server sends without being asked.
package enum Push: Sendable, Equatable {
    case publication(channel: String, Publication)
    case join(channel: String, ClientInfo)
    case leave(channel: String, ClientInfo)
    case unsubscribe(channel: String, Unsubscribe)
    case disconnect(Disconnect)
}

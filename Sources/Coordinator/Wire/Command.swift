/// One request of a client, independent of its encoding.
package struct Command: Sendable, Equatable {
    /// The id to repeat in the reply; 0 for a pong and for `send`.
    package var id: UInt32
    /// What is asked.
    package var request: Request

    /// An id and its request.
    package init(id: UInt32, request: Request) {
        self.id = id
        self.request = request
    }

    /// The requests of the Centrifugal client protocol v2.
    package enum Request: Sendable, Equatable {
        case connect(Connect)
        case subscribe(Subscribe)
        case unsubscribe(channel: String)
        case publish(channel: String, data: JSONDocument)
        case presence(channel: String)
        case presenceStats(channel: String)
        case history(History)
        case rpc(method: String, data: JSONDocument?)
        case send
        case refresh(token: String?)
        case subRefresh(channel: String, token: String?)
        case ping
        /// The empty object: an answer to a server ping.
        case pong
    }

    /// The fields of `connect` that this server reads.
    package struct Connect: Sendable, Equatable {
        /// The connection token.
        package var token: String?
        /// The application's own data; `device` in it names the device.
        package var data: JSONDocument?
        /// The client library's name.
        package var name: String?
        /// The client library's version.
        package var version: String?

        /// A connect request.
        package init(
            token: String? = nil, data: JSONDocument? = nil, name: String? = nil,
            version: String? = nil
        ) {
            self.token = token
            self.data = data
            self.name = name
            self.version = version
        }
    }

    /// The fields of `subscribe` that this server reads.
    package struct Subscribe: Sendable, Equatable {
        /// The channel as the client wrote it.
        package var channel: String
        /// The subscription token.
        package var token: String?
        /// The application's own data: `role`, or `facts` of a stage.
        package var data: JSONDocument?
        /// The position to recover from; nil when no recovery is asked for.
        package var recover: StreamPosition?
        /// Whether joins and leaves are wanted.
        package var joinLeave: Bool
        /// Whether error 112 is wanted instead of `recovered: false` (flag value 2).
        package var refusesUnrecovered: Bool
        /// Whether a tags filter (`tf`) was sent, which is refused with 107.
        package var hasTagsFilter: Bool
        /// The kind of subscription; only 0, a stream, is served (else 108).
        package var type: Int64

        /// A subscribe request.
        package init(
            channel: String, token: String? = nil, data: JSONDocument? = nil,
            recover: StreamPosition? = nil,
            joinLeave: Bool = false, refusesUnrecovered: Bool = false,
            hasTagsFilter: Bool = false, type: Int64 = 0
        ) {
            self.channel = channel
            self.token = token
            self.data = data
            self.recover = recover
            self.joinLeave = joinLeave
            self.refusesUnrecovered = refusesUnrecovered
            self.hasTagsFilter = hasTagsFilter
            self.type = type
        }
    }

    /// The fields of `history`.
    package struct History: Sendable, Equatable {
        /// The channel as the client wrote it.
        package var channel: String
        /// 0: the position only; below 0: everything kept; above: at most so many.
        package var limit: Int64
        /// The position after which to begin.
        package var since: StreamPosition?
        /// Newest first.
        package var reverse: Bool

        /// A history request.
        package init(
            channel: String, limit: Int64 = 0, since: StreamPosition? = nil, reverse: Bool = false
        ) {
            self.channel = channel
            self.limit = limit
            self.since = since
            self.reverse = reverse
        }
    }
}

/// A place in a channel's stream.
package struct StreamPosition: Sendable, Equatable {
    /// The stream's incarnation; empty when the client knows none.
    package var epoch: String
    /// The last publication that the client has; the revision, for a session.
    package var offset: UInt64

    /// An epoch and an offset in it.
    package init(epoch: String, offset: UInt64) {
        self.epoch = epoch
        self.offset = offset
    }
}

internal import Coordinator
internal import Synchronization

/// A connection of another loop as the sessions of this one see it.
///
/// What they say goes to the connection's loop with the mail of the turn.
final class RemotePeer: SessionPeer {
    /// What a session says to a connection.
    enum Word: Sendable {
        case reply(to: UInt32, Reply.Body)
        case bytes([UInt8])
        case unsubscribe(Channel, Unsubscribe)
        case disconnect(Disconnect)
        /// More is on its way than may wait for a reader.
        case tooMuch
    }

    let number: UInt64
    let encoding: WireEncoding
    private let home: Int
    private let post: Post
    private let limit: Int
    /// Bytes that are on their way to the other loop, about.
    private let underway = Atomic<Int>(0)
    /// Whether it was too much: the connection ends of it, so that what follows is for nobody.
    private let isCut = Atomic<Bool>(false)

    /// A connection of the loop at `home`; at most `limit` bytes are on their way there.
    init(number: UInt64, encoding: WireEncoding, home: Int, post: Post, limit: Int) {
        self.number = number
        self.encoding = encoding
        self.home = home
        self.post = post
        self.limit = limit
    }

    func reply(to command: UInt32, _ body: Reply.Body) {
        say(.reply(to: command, body), weight: body.weight)
    }

    func send(_ bytes: [UInt8]) {
        say(.bytes(bytes), weight: bytes.count)
    }

    func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe) {
        say(.unsubscribe(channel, unsubscribe), weight: 0)
    }

    func disconnect(_ disconnect: Disconnect) {
        say(.disconnect(disconnect), weight: 0)
    }

    /// The connection's loop has heard a word.
    func heard(_ word: Word) {
        let weight =
            switch word {
            case .reply(_, let body): body.weight
            case .bytes(let bytes): bytes.count
            case .unsubscribe, .disconnect, .tooMuch: 0
            }
        if weight > 0 { underway.subtract(weight, ordering: .relaxed) }
    }

    private func say(_ word: Word, weight: Int) {
        guard !isCut.load(ordering: .relaxed) else { return }
        if weight > 0, underway.add(weight, ordering: .relaxed).newValue > limit {
            isCut.store(true, ordering: .relaxed)
            return post.send(.said(self, .tooMuch), to: home)
        }
        post.send(.said(self, word), to: home)
    }
}

extension Reply.Body {
    /// Bytes of what it carries, about.
    fileprivate var weight: Int {
        switch self {
        case .rpc(let data): data.count
        case .subscribe(let result): (result.data?.count ?? 0) + result.publications.weight
        case .history(let history): history.publications.weight
        case .error, .connect, .unsubscribe, .publish, .presence, .presenceStats, .refresh,
            .subRefresh:
            0
        }
    }
}

extension [Publication] {
    fileprivate var weight: Int { reduce(0) { $0 + $1.data.count } }
}

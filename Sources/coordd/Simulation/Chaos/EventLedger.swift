package import Coordinator

/// What one device has sent to its session and what it was answered, to send it again and compare.
///
/// Every event has an idempotency id and the same text as its mark.
package struct EventLedger {
    /// An event that was sent.
    package struct Entry {
        /// The idempotency id.
        package var id: String
        /// The event, marked.
        package var event: JSON
        /// Takes the answer, once.
        package var then: (SimulatedScreen.Answer) -> Void
        /// Connections that it was sent on.
        package var attempts = 0
        package fileprivate(set) var isUnderWay = false
    }

    /// An event that was accepted.
    package struct Acknowledged: Equatable {
        /// The idempotency id.
        package var id: String
        /// The event, marked.
        package var event: JSON
        /// The answer as it came, without `duplicate`.
        package var answer: JSON
        /// The revision in the answer.
        package var revision: UInt64
    }

    /// Events without an answer, in the order of sending.
    package private(set) var unanswered: [Entry] = []
    /// The newest events that were accepted, in the order of their answers.
    package private(set) var acknowledged: [Acknowledged] = []
    /// Marks of events that were refused.
    package private(set) var refused: [String] = []

    private let device: String
    private var newest = 0
    private var random: SplitMix64

    /// Accepted events that are kept; the daemon remembers the last 256 ids of a device, and some of
    /// those may be ones whose answer was lost.
    private static let keptAcknowledged = 200
    /// Accepted events that are sent again after a reconnect: the newest, and some older ones.
    private static let repeated = (newest: 6, older: 4)

    /// A ledger without an entry.
    package init(device: String, seed: UInt64) {
        self.device = device
        random = SplitMix64(seed: seed ^ 0x6C65_6467_6572, part: UInt64(device.utf8.count))
        for byte in device.utf8 { random = SplitMix64(seed: random.next(), part: UInt64(byte)) }
    }

    /// Whether something waits to be sent again, or behind that for the first time.
    package var hasLost: Bool { unanswered.contains { !$0.isUnderWay } }

    /// Notes an event that is about to be sent, or that has to wait for a connection or until what
    /// was lost is sent again: a device's events stay in order.
    package mutating func note(
        _ event: JSON, isConnected: Bool = true, then: @escaping (SimulatedScreen.Answer) -> Void
    ) -> Entry {
        newest += 1
        let id = "\(device)/\(newest)"
        var entry = Entry(id: id, event: RevisionLedger.marked(event, id), then: then)
        entry.isUnderWay = isConnected && !hasLost
        entry.attempts = entry.isUnderWay ? 1 : 0
        unanswered.append(entry)
        return entry
    }

    /// Notes that the connection was lost before the answer.
    package mutating func lost(_ id: String) {
        guard let place = unanswered.firstIndex(where: { $0.id == id }) else { return }
        unanswered[place].isUnderWay = false
    }

    /// The events to send again on a new connection, which are under way from now.
    package mutating func takeLost() -> [Entry] {
        var lost: [Entry] = []
        for place in unanswered.indices where !unanswered[place].isUnderWay {
            unanswered[place].isUnderWay = true
            unanswered[place].attempts += 1
            lost.append(unanswered[place])
        }
        return lost
    }

    /// Takes the answer of an event; gives its entry.
    package mutating func answered(_ id: String) -> Entry? {
        guard let place = unanswered.firstIndex(where: { $0.id == id }) else { return nil }
        return unanswered.remove(at: place)
    }

    /// Remembers an accepted event.
    package mutating func accept(_ entry: Entry, _ answer: JSON, revision: UInt64) {
        acknowledged.append(
            Acknowledged(id: entry.id, event: entry.event, answer: answer, revision: revision))
        if acknowledged.count > Self.keptAcknowledged { acknowledged.removeFirst() }
    }

    /// Remembers a refused event.
    package mutating func refuse(_ entry: Entry) { refused.append(entry.id) }

    /// Accepted events to send again, the older ones chosen by the seed.
    package mutating func sample() -> [Acknowledged] {
        let newest = acknowledged.suffix(Self.repeated.newest)
        let older = acknowledged.dropLast(newest.count).shuffled(using: &random)
        return Array(older.prefix(Self.repeated.older) + newest)
    }
}

import Coordinator
import TestSupport

/// The durable history of one epoch of a session, kept apart from what the daemon keeps: what the
/// revisions were, and what they lead to.
final class Incarnation {
    /// A durable revision.
    struct Revision {
        /// The line that every subscriber gets.
        let line: [UInt8]
        let publication: Publication
        let data: JSON
        let at: Int64
        /// The state after it, folded from the patches.
        let state: JSON
    }

    let session: SessionID
    let epoch: String
    private let first: JSON
    /// The newest revisions; the older ones are not needed any more.
    private var revisions: [Revision] = []
    private(set) var top: UInt64 = 0
    /// Which revision the event of a tag became.
    private(set) var places: [UInt64: UInt64] = [:]
    /// Tags of events that counted once more, long after their ids were forgotten.
    private(set) var renewed: Set<UInt64> = []
    /// How many ids of each device were remembered, and which one an id was.
    private var idCounts: [String: Int] = [:]
    private var idPlaces: [RequestMemory.Key: Int] = [:]
    /// The effects that stages saw, by their numbers.
    private var effects: [UInt64: JSON] = [:]
    /// Effects whose acknowledgement was answered.
    var acknowledged: Set<UInt64> = []
    var isDeleted = false

    private static let keptRevisions = 700

    init(session: SessionID, epoch: String, state: JSON) {
        self.session = session
        self.epoch = epoch
        first = state
    }

    var state: JSON { revisions.last?.state ?? first }

    /// A revision; nil when there is none or it is too old.
    subscript(revision: UInt64) -> Revision? {
        guard revision > 0, revision <= top else { return nil }
        let back = top - revision
        return back < revisions.count ? revisions[revisions.count - 1 - Int(back)] : nil
    }

    /// The state at a revision; nil when it is not known any more.
    func state(at revision: UInt64) -> JSON? {
        revision == 0 ? first : self[revision]?.state
    }

    /// Takes the answer to an id that has become durable; gives what is wrong with it.
    ///
    /// The newest `limit` ids of a device are remembered (contract: protocol, Methods).
    func remember(_ key: RequestMemory.Key, limit: Int) -> String? {
        let count = idCounts[key.device, default: 0]
        let isForgotten = idPlaces[key].map { count - $0 >= limit } ?? true
        idCounts[key.device] = count + 1
        idPlaces[key] = count + 1
        return isForgotten ? nil : "the id \(key.id) is taken for a new one"
    }

    /// Takes a revision that has become durable; gives what is wrong with it.
    ///
    /// One that came with an id may count again when that is forgotten.
    func append(_ publication: Publication, revision: UInt64, hasID: Bool) -> String? {
        guard revision == top + 1, publication.offset == revision else {
            return "revision \(revision) follows \(top)"
        }
        guard let data = try? JSONParser.parse(publication.data.span, maximumDepth: 64).root,
            let patch = data["patch"], let at = data["at"]?.number?.signed,
            data.unsigned("rev") == revision
        else { return "revision \(revision) is no publication" }
        var line: [UInt8] = []
        JSONCodec.encode(
            Push.publication(channel: "session:\(session)", publication), into: &line)
        line.removeLast()
        top = revision
        if revisions.count > 2 * Self.keptRevisions { revisions.removeFirst(Self.keptRevisions) }
        revisions.append(
            Revision(
                line: line, publication: publication, data: data, at: at,
                state: MergePatch.apply(patch, to: state)))
        guard let tag = data["event"]?.unsigned("tag") else { return nil }
        if let place = places.updateValue(revision, forKey: tag) {
            renewed.insert(tag)
            guard !hasID else { return nil }
            return "event \(tag) counts twice, at \(place) and \(revision)"
        }
        return nil
    }

    /// Takes an effect that a stage saw; gives what is wrong with it.
    func saw(_ effect: JSON) -> String? {
        guard let seq = effect.unsigned("seq"), let revision = effect.unsigned("rev") else {
            return "an effect without seq or rev"
        }
        guard revision <= top else { return "effect \(seq) is of revision \(revision) of \(top)" }
        if let known = effects.updateValue(effect, forKey: seq), known != effect {
            return "effect \(seq) is another one than before"
        }
        return nil
    }
}

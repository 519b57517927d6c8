package import Coordinator

/// What all screens of one session have seen of it: nothing of that may ever change or go.
package final class RevisionLedger {
    /// The session.
    package let session: SessionID
    /// The newest revision that any screen saw, or that an answer named.
    package private(set) var top: UInt64 = 0

    private let report: (Violation) -> Void
    private var epoch: String?
    /// The publications' data, and who saw it first.
    private var seen: [UInt64: (data: [UInt8], device: String)] = [:]
    /// Which revision each marked event led to.
    private var revisions: [String: UInt64] = [:]
    private var effects: [UInt64: [UInt8]] = [:]

    /// Revisions whose data is kept: more than the daemon's replay window of 256.
    private static let window: UInt64 = 1024
    /// The member of an event that tells it from all others.
    private static let mark = "mark"

    /// A ledger without an entry; violations go to `report`.
    package init(session: SessionID, report: @escaping (Violation) -> Void) {
        self.session = session
        self.report = report
    }

    /// The event with a mark, which its publication will have too.
    package static func marked(_ event: JSON, _ mark: String) -> JSON {
        guard var object = event.object else { return event }
        object.append(Self.mark, .string(mark))
        return .object(object)
    }

    /// The revision that the event with a mark led to, as far as any screen saw it.
    package func revision(ofMark mark: String) -> UInt64? { revisions[mark] }

    /// Takes note of a position that `device` was given.
    package func saw(_ position: StreamPosition, at device: String) {
        if let epoch, epoch != position.epoch {
            tell(.epoch, device, expected: epoch, found: position.epoch)
        }
        epoch = epoch ?? position.epoch
        top = max(top, position.offset)
    }

    /// Takes note of a publication that `device` received, be it new, recovered or from history.
    package func saw(_ publication: Publication, at device: String) {
        guard let revision = publication.offset else { return }
        if let known = seen[revision] {
            if known.data != publication.data {
                tell(
                    .rewritten, device,
                    expected: "revision \(revision) as \(known.device) saw it: "
                        + String(decoding: known.data, as: UTF8.self),
                    found: String(decoding: publication.data, as: UTF8.self))
            }
            return
        }
        guard revision + Self.window > top else { return }
        top = max(top, revision)
        seen[revision] = (publication.data, device)
        if seen.count > 2 * Int(Self.window) {
            seen = seen.filter { $0.key + Self.window > top }
        }
        guard
            let mark = (try? JSONParser.parse(publication.data.span).root)?["event"]?[Self.mark]?
                .string
        else { return }
        if let earlier = revisions[mark], earlier != revision {
            tell(
                .appliedTwice, device, expected: "event \(mark) once, as revision \(earlier)",
                found: "again as revision \(revision)")
        } else {
            revisions[mark] = revision
        }
    }

    /// Takes note of an effect, given for the first time or again as pending.
    package func saw(effect: JSON, seq: UInt64, at device: String) {
        let bytes = JSONWriter.bytes(of: effect)
        if let known = effects[seq], known != bytes {
            tell(
                .effectRewritten, device,
                expected: "effect \(seq) as \(String(decoding: known, as: UTF8.self))",
                found: String(decoding: bytes, as: UTF8.self))
        }
        effects[seq] = bytes
    }

    /// Takes note of the whole history that `device` was given, whose window is `size` revisions, or
    /// of unknown size; revision `known` was the newest when it was asked for.
    ///
    /// - Returns: how many publications were compared with what was seen before.
    package func saw(_ history: Reply.History, known: UInt64, size: UInt64?, at device: String)
        -> Int
    {
        let newest = history.position.offset
        if newest < known {
            tell(
                .lostRevision, device, expected: "revision \(known) in the history",
                found: "the newest is \(newest)")
        }
        saw(history.position, at: device)
        let offsets = history.publications.map { $0.offset ?? 0 }
        let wanted = size.map { newest - min(newest, $0) + 1 } ?? offsets.first ?? newest + 1
        if !offsets.elementsEqual(wanted..<(newest + 1)) {
            tell(
                .historyGap, device, expected: "revisions \(wanted)–\(newest) in the history",
                found: Self.runs(offsets))
        }
        let compared = history.publications.count { seen[$0.offset ?? 0] != nil }
        for publication in history.publications { saw(publication, at: device) }
        return compared
    }

    /// Takes note of a revision that an answer to `device` named.
    package func acknowledged(_ revision: UInt64) { top = max(top, revision) }

    /// Reports a violation of this session.
    package func tell(
        _ kind: Violation.Kind, _ device: String, expected: String, found: String
    ) {
        report(
            Violation(
                kind, session: session.description, device: device, expected: expected,
                found: found))
    }

    /// Such as `3–7, 9`.
    private static func runs(_ numbers: [UInt64]) -> String {
        var runs: [ClosedRange<UInt64>] = []
        for number in numbers {
            if let last = runs.last, number == last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        guard !runs.isEmpty else { return "none" }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }
}

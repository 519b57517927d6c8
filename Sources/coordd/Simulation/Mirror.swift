package import Coordinator

/// A second screen's memory of one session: a snapshot and the patches folded over it.
///
/// It checks what the contract promises a subscriber: revisions without gap or repeat, one epoch,
/// and recoveries that are either complete or a snapshot (contract: protocol, Channels).
package struct Mirror: Sendable {
    /// A broken promise of the server.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// Which promise.
        package enum Kind: String, Sendable {
            /// A revision is missing before this one.
            case gap
            /// A revision came that was there already.
            case repetition
            /// The stream's epoch changed although the subscriber recovered.
            case epoch
            /// A recovery was partial, or not what was asked.
            case recovery
            /// A message was not of the contract's form.
            case malformed
        }

        /// Which promise.
        package var kind: Kind
        /// What was expected and what came.
        package var description: String
    }

    /// What one publication was.
    package enum Item: Sendable, Equatable {
        /// A revision, folded, with the codes of its warnings.
        case revision(UInt64, by: String?, event: String, warnings: [String] = [])
        /// A message to those who listen now, without a revision.
        case signal(event: String, warnings: [String] = [])
    }

    /// What a subscribe reply was.
    package enum Start: Sendable, Equatable {
        /// A first subscribe, or a recovery that the server could not make complete.
        case snapshot(afterRecovery: Bool)
        /// All missed publications came with the reply.
        case recovered([Item])
    }

    /// The folded state; nil before the first snapshot.
    package private(set) var state: JSON?
    /// The place in the session's stream; nil before the first snapshot.
    package private(set) var position: StreamPosition?
    /// Broken promises that nobody has taken note of yet.
    package private(set) var faults: [Fault] = []

    /// A memory of nothing.
    package init() {}

    /// The state's canonical text; nil before the first snapshot.
    package var canonicalText: String? { state.map(Fold.canonicalText) }

    /// Takes the reply of a subscribe that asked to recover from `asked`, or nil for a first one.
    ///
    /// - Returns: nil when the reply is unusable; the fault is noted.
    package mutating func subscribed(
        _ result: Reply.Subscribe, asked: StreamPosition?
    ) -> Start? {
        guard let position = result.position, !position.epoch.isEmpty else {
            note(.malformed, "a subscribe reply without epoch and offset")
            return nil
        }
        if result.wasRecovering != (asked != nil) {
            note(.recovery, "was_recovering is \(result.wasRecovering), asked \(asked != nil)")
        }
        if result.recovered {
            return recovered(result, at: position, asked: asked)
        }
        guard let data = result.data, let snapshot = parse(data),
            let revision = snapshot["rev"]?.number?.unsigned, let state = snapshot["state"]
        else {
            note(.malformed, "a subscribe reply without rev and state in its data")
            return nil
        }
        if revision != position.offset {
            note(.malformed, "snapshot of revision \(revision) with offset \(position.offset)")
        }
        if !result.publications.isEmpty {
            note(.recovery, "a snapshot together with \(result.publications.count) publications")
        }
        self.state = state
        self.position = StreamPosition(epoch: position.epoch, offset: revision)
        return .snapshot(afterRecovery: asked != nil)
    }

    private mutating func recovered(
        _ result: Reply.Subscribe, at position: StreamPosition, asked: StreamPosition?
    ) -> Start? {
        guard let asked else {
            note(.recovery, "recovered although nothing was asked")
            return nil
        }
        if position.epoch != asked.epoch {
            note(.epoch, "recovered in epoch \(position.epoch), asked in \(asked.epoch)")
        }
        if position.offset != asked.offset {
            note(.recovery, "the reply's offset is \(position.offset), asked \(asked.offset)")
        }
        if result.data != nil { note(.recovery, "a snapshot although recovered") }
        return .recovered(result.publications.compactMap { received($0) })
    }

    /// Takes a pushed publication.
    ///
    /// - Returns: nil for a repeated or malformed one; the fault is noted.
    package mutating func received(_ publication: Publication) -> Item? {
        guard let value = parse(publication.data), let event = value["event"]?["type"]?.string,
            value["at"]?.number?.unsigned != nil
        else {
            note(.malformed, "a publication without event type or time")
            return nil
        }
        let warnings = (value["warnings"]?.array ?? []).map { $0["code"]?.string ?? "?" }
        guard let offset = publication.offset else {
            if value["rev"] != nil || value["patch"] != nil {
                note(.malformed, "a signal with a revision or a patch")
            }
            return .signal(event: event, warnings: warnings)
        }
        guard let patch = value["patch"], value["rev"]?.number?.unsigned == offset else {
            note(.malformed, "publication \(offset) has another rev, or no patch")
            return nil
        }
        guard let present = position else {
            note(.malformed, "publication \(offset) before the subscribe reply")
            return nil
        }
        guard offset > present.offset else {
            note(.repetition, "revision \(offset) again, already at \(present.offset)")
            return nil
        }
        if offset > present.offset + 1 {
            note(.gap, "revision \(offset) came after \(present.offset)")
        }
        state = Fold.folding(patch, over: state)
        position?.offset = offset
        return .revision(
            offset, by: value["by"]?["device"]?.string, event: event, warnings: warnings)
    }

    /// The broken promises since the last call.
    package mutating func takeFaults() -> [Fault] {
        defer { faults = [] }
        return faults
    }

    private func parse(_ bytes: [UInt8]) -> JSON? {
        try? JSONParser.parse(bytes.span).root
    }

    private mutating func note(_ kind: Fault.Kind, _ description: String) {
        faults.append(Fault(kind: kind, description: description))
    }
}

/// What became of one event that a client sent, for counting.
package struct EventReport: Sendable, Equatable {
    /// How an event ended.
    package enum Ending: Int, Sendable, CaseIterable {
        /// A new revision, which may still fail to become durable.
        case accepted
        /// Passed on and not kept.
        case signal
        /// Right, and without any consequence.
        case unchanged
        /// Answered before, under the same idempotency id.
        case duplicate
        /// 103: the sender may not.
        case forbidden
        /// 409: not in this state.
        case conflict
        /// 422: no valid event.
        case invalid
        /// Another error.
        case refused

        /// The ending of an event that was rejected with this number.
        init(code: UInt32) {
            self =
                switch code {
                case 103: .forbidden
                case 409: .conflict
                case 422: .invalid
                default: .refused
                }
        }
    }

    /// The event's type.
    package var kind: EventKind
    /// How it ended.
    package var ending: Ending
    /// The name under which the page tracks something; of any length.
    package var tracked: String?
    /// Whether it was a message of a page that nobody handles.
    package var isUnhandled = false

    /// An event and its ending.
    package init(_ kind: EventKind, _ ending: Ending) {
        self.kind = kind
        self.ending = ending
    }

    /// An event that was applied.
    init(_ kind: EventKind, _ outcome: Outcome) {
        self.init(kind, Ending(outcome.kind))
        tracked = outcome.tracked
        isUnhandled = outcome.warnings.contains { $0.code == "bridge.unhandled" }
    }

    /// An event that was not applied; `event` may be anything.
    init(_ event: JSONDocument, _ ending: Ending) {
        self.init(EventKind(named: event["type"]?.string), ending)
    }
}

extension EventReport.Ending {
    /// The ending of an event that was applied.
    init(_ kind: Outcome.Kind) {
        self =
            switch kind {
            case .revision: .accepted
            case .signal: .signal
            case .unchanged: .unchanged
            }
    }
}

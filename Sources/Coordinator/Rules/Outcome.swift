/// What came of an event that was not rejected.
package struct Outcome: Sendable, Equatable {
    /// What the event is to the subscribers.
    package enum Kind: Sendable, Equatable {
        /// The state changed or an effect was asked for: one more revision.
        case revision
        /// Passed on to whoever is subscribed now.
        case signal
        /// Answered, and that is all.
        case unchanged
    }

    /// What the event is to the subscribers.
    package var kind: Kind
    /// Whether something must be made durable before the answer.
    package var isDurable: Bool
    /// Effects of this event, in order.
    package var effects: [Effect]
    /// The text of the merge patch of the state; an empty object when only effects were asked for.
    package var patchText: [UInt8]
    /// What was skipped.
    package var warnings: [Warning]
    /// Members of the answer beside revision and warnings.
    package var answer: JSONObject
    /// The event to publish; nil for the one that came in.
    package var published: JSON?
    /// The name under which the page tracks something (contract: domain, section 5.4).
    package var tracked: String?

    /// The text of a patch that changes nothing.
    static let emptyPatch = Array("{}".utf8)

    /// The merge patch of the state.
    package var patch: JSON {
        (try? JSONParser.parse(patchText.span, maximumDepth: .max))?.root ?? [:]
    }
}

/// The outcome of a take-over, and what the stage before is still told.
package struct Takeover: Sendable, Equatable {
    /// What came of it.
    package var outcome: Outcome
    /// The last effects of the stage before.
    package var farewell: [Effect]
}

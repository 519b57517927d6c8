package import Coordinator

/// One row of the table: when a part of the state changes so, this rule did it.
package struct ExplanationRow: Sendable {
    /// The rule's name.
    package var rule: String
    /// Plain words with `{…}` for facts of the revision (``ExplainedFacts``).
    package var words: String
    /// The part of the state; empty for an event that changed none.
    package var path: String
    /// The value that the part gets, `null` when it is removed; nil for any.
    package var value: JSON?
    /// The event's type, one of several, or their beginning up to a point; empty for any.
    package var events: [String]
    /// Another part of the state that must get a value in the same revision.
    package var given: (path: String, value: JSON)?
    /// A member of the event that must have a value.
    package var member: (path: String, value: JSON)?
    /// The code of a warning that must be there.
    package var warning: String?

    /// Whether a price on the slip must be another than before.
    package var movedPrices: Bool

    /// A row; what is left out does not matter.
    init(
        _ rule: String, _ words: String, _ path: String, _ value: JSON? = nil,
        by events: String..., given: (path: String, value: JSON)? = nil,
        member: (path: String, value: JSON)? = nil, warning: String? = nil,
        movedPrices: Bool = false
    ) {
        self.movedPrices = movedPrices
        self.rule = rule
        self.words = words
        self.path = path
        self.value = value
        self.events = events
        self.given = given
        self.member = member
        self.warning = warning
    }

    /// Whether the row tells of this part of the revision.
    package func matches(_ path: String, of facts: ExplainedFacts) -> Bool {
        guard path == self.path, matchesEvent(facts.type) else { return false }
        if movedPrices, !facts.pricesMoved { return false }
        if let value, facts.change(at: path) != value { return false }
        if let given, facts.change(at: given.path) != given.value { return false }
        if let member, facts.member(member.path) != member.value { return false }
        if let warning, !facts.warnings.contains(where: { $0["code"]?.string == warning }) {
            return false
        }
        return true
    }

    private func matchesEvent(_ type: String) -> Bool {
        events.isEmpty
            || events.contains { $0.hasSuffix(".") ? type.hasPrefix($0) : type == $0 }
    }
}

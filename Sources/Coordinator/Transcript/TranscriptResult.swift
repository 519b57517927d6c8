/// What came of one step of a transcript, wherever it was played.
package enum TranscriptResult: Sendable, Equatable {
    /// It was taken.
    case taken(Taken)
    /// It was refused.
    case refused(code: UInt32, message: String)
    /// The timer that was expected did not come.
    case notDue

    /// What a step that was taken brought.
    package struct Taken: Sendable, Equatable {
        /// What it was to the subscribers.
        package var kind: Outcome.Kind
        /// The session's newest revision afterwards.
        package var revision: UInt64
        /// The merge patch; an empty object without a revision.
        package var patch: JSON = [:]
        /// The effects, as the stage receives them; nil where they cannot be seen.
        package var effects: [JSON]? = []
        /// What was skipped: `code` and `message` of each.
        package var warnings: [JSON] = []
        /// Members of the answer beside revision and warnings; nil where no answer is given.
        package var answer: JSONObject? = JSONObject()
        /// The effects that a stage gets when it attaches; nil for any other step.
        package var pending: [JSON]?
        /// The state afterwards.
        package var state: JSON

        /// A step that brought nothing.
        package init(kind: Outcome.Kind, revision: UInt64, state: JSON) {
            self.kind = kind
            self.revision = revision
            self.state = state
        }
    }
}

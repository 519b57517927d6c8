/// One line of a transcript that does something.
package struct TranscriptStep: Sendable, Equatable {
    /// What is done.
    package enum Action: Sendable, Equatable {
        /// An event, as by `session.apply`.
        case event(JSONDocument)
        /// The device subscribes to the stage, with an optional report of facts.
        case attach(facts: JSON?)
        /// The device's connection is lost.
        case detach
        /// The device calls `stage.take`.
        case take
        /// The device calls `effects.ack`.
        case acknowledge(done: [UInt64], failed: [EffectFailure])
        /// A timer of the session makes this event.
        case expire(String)
    }

    /// The line, counted from 1.
    package var line: Int
    /// The server's time.
    package var at: Instant
    /// Who; nil for the session itself, the HTTP API, and an acknowledgement by whoever has the stage.
    package var device: String?
    /// As what.
    package var role: Role
    /// What is done.
    package var action: Action
    /// What must come of it; nil when nobody judges.
    package var expectation: TranscriptExpectation?
    /// Whether the reader made the step, because a player needs the stage before it can play.
    package var isImplied = false

    /// The name of the action as people read it.
    package var name: String {
        switch action {
        case .event(let event): event["type"]?.string ?? "?"
        case .attach: "(attach)"
        case .detach: "(detach)"
        case .take: "(take)"
        case .acknowledge: "(ack)"
        case .expire(let type): type
        }
    }
}

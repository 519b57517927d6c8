internal import Coordinator

/// Why the daemon is not ready, as its parts report it; on any thread.
package final class Health: Sendable {
    /// A part that can keep the daemon from being ready.
    package enum Component: String, Sendable, CaseIterable {
        /// The daemon has not read what it must before it serves.
        case starting
        /// The daemon is about to stop.
        case draining
        /// The store fails or is full.
        case store
    }

    private struct State {
        var reasons: [Component: String] = [:]
        var notes: [String] = []
        /// Notes that were not kept.
        var furtherNotes = 0
    }

    /// Notes that are kept; more are only counted.
    private static let noteLimit = 100

    private let state = Locked(State())

    /// A daemon that is ready.
    package init() {}

    /// The daemon is not ready, for one more reason or for another one than before.
    package func report(_ component: Component, _ reason: String) {
        state.withLock { $0.reasons[component] = reason }
    }

    /// A part is well again.
    package func clear(_ component: Component) {
        state.withLock { $0.reasons[component] = nil }
    }

    /// Something that an operator should know of, but that keeps nobody from being served, such as
    /// a session that was set aside because its data are damaged.
    package func note(_ text: String) {
        state.withLock { state in
            guard state.notes.count < Self.noteLimit else { return state.furtherNotes += 1 }
            state.notes.append(text)
        }
    }

    /// Whether nothing keeps the daemon from being ready.
    package var isReady: Bool { state.withLock { $0.reasons.isEmpty } }

    /// `{"status":"ready"}`, or `unavailable` with `reasons` by component; `notes` when there are any.
    var document: JSON {
        state.withLock { state in
            var document = JSONObject()
            let isReady = state.reasons.isEmpty
            document.append("status", isReady ? "ready" : "unavailable")
            if !isReady {
                var reasons = JSONObject()
                for component in Component.allCases {
                    guard let reason = state.reasons[component] else { continue }
                    reasons.append(component.rawValue, .string(reason))
                }
                document.append("reasons", .object(reasons))
            }
            if !state.notes.isEmpty {
                document.append("notes", .array(state.notes.map(JSON.string)))
            }
            if state.furtherNotes > 0 {
                document.append("furtherNotes", .integer(state.furtherNotes))
            }
            return .object(document)
        }
    }
}

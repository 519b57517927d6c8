/// What a command accepts; reading and help both follow it.
struct CommandUsage: Sendable {
    /// An argument without a dash.
    struct Positional: Sendable {
        /// As the help shows it, in capitals.
        let name: String
        /// One line.
        let meaning: String
        /// Whether more of them may follow; only for the last.
        var repeats = false
        /// Whether it may be missing; only for the last.
        var isOptional = false
    }

    /// An argument with dashes.
    struct Flag: Sendable {
        /// With its two dashes.
        let name: String
        /// What follows it, in capitals; nil for a flag that stands alone.
        let value: String?
        /// One line.
        let meaning: String
    }

    /// The word on the command line, or the group's word and the action's.
    let name: String
    /// One line.
    let summary: String
    /// The arguments without dashes, in order.
    let positionals: [Positional]
    /// The flags, in the order of the help.
    let flags: [Flag]
    /// Flags of its sisters that it does not take, each with the reason.
    var refused: [String: String] = [:]

    /// The line after "usage:".
    var synopsis: String {
        let required = positionals.map { argument in
            let name = argument.name + (argument.repeats ? "…" : "")
            return argument.isOptional ? " [\(name)]" : " \(name)"
        }
        let optional = flags.map { flag in " [\(flag.name)" + (flag.value.map { " \($0)]" } ?? "]")
        }
        return "coordd \(name)" + (required + optional).joined()
    }
}

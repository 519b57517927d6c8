/// What the command line asks for.
package enum Invocation: Sendable, Equatable {
    /// Print the help of one command, or of all.
    ///
    /// `asked` is false for a command line without a command, which is wrong usage.
    case help(command: String?, asked: Bool)
    /// Print the version.
    case version
    /// Run the daemon.
    case serve(ServeOptions)
    /// Check a configuration file.
    case checkConfig(CheckConfigOptions)
    /// Play simulated devices.
    case simulate(SimulateOptions)
    /// Follow a session.
    case watch(WatchOptions)
    /// Apply events to a session.
    case send(SendOptions)
    /// Play transcripts.
    case replay(ReplayOptions)

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``UsageError`` naming the first argument that is wrong.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else { return .help(command: nil, asked: false) }
        let rest = arguments.dropFirst()
        switch first {
        case "help", "--help", "-h": return try help(rest)
        case "--version", "version":
            guard rest.isEmpty else { throw UsageError("\(first) takes no arguments") }
            return .version
        default: break
        }
        let parsed = try ParsedArguments(rest, of: usage(first))
        if parsed.wantsHelp { return .help(command: first, asked: true) }
        switch first {
        case "serve": return .serve(try ServeOptions(parsed))
        case "check-config": return .checkConfig(CheckConfigOptions(parsed))
        case "simulate": return .simulate(try SimulateOptions(parsed))
        case "watch": return .watch(try WatchOptions(parsed))
        case "send": return .send(try SendOptions(parsed))
        case "replay": return .replay(try ReplayOptions(parsed))
        default: preconditionFailure("the command \(first) is in the table, but not here")
        }
    }

    private static func help(_ rest: ArraySlice<String>) throws(UsageError) -> Invocation {
        guard let name = rest.first else { return .help(command: nil, asked: true) }
        guard rest.count == 1 else { throw UsageError("help takes one command") }
        return .help(command: try usage(name).name, asked: true)
    }

    private static func usage(_ name: String) throws(UsageError) -> CommandUsage {
        if let usage = CommandTable.command(name) { return usage }
        let quoted = ParsedArguments.quoted(name)
        let names = CommandTable.commands.map(\.name).joined(separator: ", ")
        if CommandTable.later.contains(name) {
            throw UsageError(
                "the command \(quoted) is known, but this version does not have it yet; "
                    + "allowed: \(names)")
        }
        let kind = name.hasPrefix("-") ? "flag" : "command"
        throw UsageError("unknown \(kind) \(quoted); allowed: \(names), help, --version")
    }
}

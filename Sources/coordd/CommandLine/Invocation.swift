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
    /// Measure a daemon.
    case bench(BenchOptions)
    /// Follow a session.
    case watch(WatchOptions)
    /// Apply events to a session.
    case send(SendOptions)
    /// Play transcripts.
    case replay(ReplayOptions)
    /// Mint a token.
    case token(TokenOptions)
    /// Read the sessions of a stopped daemon.
    case sessions(SessionsOptions)
    /// Copy a data folder.
    case backup(BackupOptions)
    /// Look through a data folder.
    case verify(VerifyOptions)

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``UsageError`` naming the first argument that is wrong.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else { return .help(command: nil, asked: false) }
        var rest = arguments.dropFirst()
        switch first {
        case "help", "--help", "-h": return try help(rest)
        case "--version", "version":
            guard rest.isEmpty else { throw UsageError("\(first) takes no arguments") }
            return .version
        default: break
        }
        var name = first
        if let group = CommandTable.group(first) {
            let word = rest.popFirst()
            if word == "--help" || word == "-h" { return .help(command: first, asked: true) }
            name = try action(word, of: group)
        }
        let parsed = try ParsedArguments(rest, of: usage(name))
        if parsed.wantsHelp { return .help(command: name, asked: true) }
        switch name {
        case "serve": return .serve(try ServeOptions(parsed))
        case "check-config": return .checkConfig(CheckConfigOptions(parsed))
        case "simulate": return .simulate(try SimulateOptions(parsed))
        case "bench": return .bench(try BenchOptions(parsed))
        case "watch": return .watch(try WatchOptions(parsed))
        case "send": return .send(try SendOptions(parsed))
        case "replay": return .replay(try ReplayOptions(parsed))
        case "token": return .token(try TokenOptions(parsed))
        case "sessions list": return .sessions(try SessionsOptions(list: parsed))
        case "sessions show": return .sessions(try SessionsOptions(show: parsed))
        case "sessions export": return .sessions(try SessionsOptions(export: parsed))
        case "sessions import": return .sessions(try SessionsOptions(import: parsed))
        case "sessions delete": return .sessions(try SessionsOptions(delete: parsed))
        case "backup": return .backup(try BackupOptions(parsed))
        case "verify": return .verify(try VerifyOptions(parsed))
        default: preconditionFailure("the command \(name) is in the table, but not here")
        }
    }

    private static func help(_ rest: ArraySlice<String>) throws(UsageError) -> Invocation {
        guard let name = rest.first else { return .help(command: nil, asked: true) }
        if let group = CommandTable.group(name) {
            guard rest.count <= 2 else { throw UsageError("help takes one command and action") }
            let word = rest.dropFirst().first
            return .help(
                command: word == nil ? group.name : try action(word, of: group), asked: true)
        }
        guard rest.count == 1 else { throw UsageError("help takes one command") }
        return .help(command: try usage(name).name, asked: true)
    }

    /// The name of the command that does this action.
    private static func action(
        _ word: String?, of group: CommandGroup
    ) throws(UsageError) -> String {
        let words = group.words.joined(separator: ", ")
        guard let word else {
            throw UsageError(command: group.name, "ACTION is missing; allowed: \(words)")
        }
        if group.words.contains(word) { return "\(group.name) \(word)" }
        let quoted = ParsedArguments.quoted(word)
        throw UsageError(command: group.name, "unknown action \(quoted); allowed: \(words)")
    }

    private static func usage(_ name: String) throws(UsageError) -> CommandUsage {
        if let usage = CommandTable.command(name) { return usage }
        let quoted = ParsedArguments.quoted(name)
        let names = CommandTable.commands.map(\.name).joined(separator: ", ")
        let kind = name.hasPrefix("-") ? "flag" : "command"
        throw UsageError("unknown \(kind) \(quoted); allowed: \(names), help, --version")
    }
}

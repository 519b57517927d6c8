/// A command with actions, each with arguments of its own.
struct CommandGroup: Sendable {
    /// The word on the command line.
    let name: String
    /// One line.
    let summary: String

    /// What can be done, in the order of the help.
    var actions: [CommandUsage] {
        CommandTable.commands.filter { $0.name.hasPrefix("\(name) ") }
    }

    /// The words of ``actions``.
    var words: [String] { actions.map { String($0.name.dropFirst(name.count + 1)) } }
}

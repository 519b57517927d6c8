/// The text of `coordd help`.
enum Help {
    /// The help of one command; without one, or with one that is not known, the overview.
    static func text(for command: String?) -> String {
        if let group = command.flatMap({ CommandTable.group($0) }) { return text(for: group) }
        guard let usage = command.flatMap({ CommandTable.command($0) }) else { return overview }
        var lines = ["usage: \(usage.synopsis)", "", "\(capitalized(usage.summary)).", ""]
        let arguments = usage.positionals.map { ($0.name, $0.meaning) }
        let flags = usage.flags.map { flag in
            (flag.name + (flag.value.map { " \($0)" } ?? ""), flag.meaning)
        }
        lines += table(arguments + flags)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(for group: CommandGroup) -> String {
        let lines =
            group.actions.enumerated().map { index, action in
                (index == 0 ? "usage: " : "       ") + action.synopsis
            } + ["", "\(capitalized(group.summary)).", ""]
            + table(zip(group.words, group.actions).map { ($0, $1.summary) })
        return lines.joined(separator: "\n") + "\n"
    }

    private static var overview: String {
        var lines = [
            "coordd keeps a live player on a phone and the second screens that follow it in step.",
            "", "usage: coordd COMMAND [ARGUMENT]…", "",
        ]
        lines += table(CommandTable.commands.map { ($0.name, $0.summary) })
        lines += [""]
        lines += table([
            ("help [COMMAND]", "show this, or a command's arguments"),
            ("--version", "show the version"),
        ])
        lines += [
            "", "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 after Ctrl-C.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ rows: [(String, String)]) -> [String] {
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { name, meaning in
            "  " + name + String(repeating: " ", count: width - name.count) + meaning
        }
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}

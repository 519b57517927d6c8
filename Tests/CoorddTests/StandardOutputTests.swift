import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// What is printed gets there, or the exit code tells.
@Suite(.timeLimit(.minutes(5)))
struct StandardOutputTests {
    private static let commands: [[String]] = [
        ["--version"], ["help"], ["check-config", "CONFIG"],
        ["sessions", "list"], ["sessions", "show", "match-1"], ["sessions", "export", "--all"],
        ["verify", "DATA"],
    ]

    private func arguments(_ command: [String], _ folder: FilledFolder) -> [String] {
        let named = command.map { word in
            switch word {
            case "DATA": folder.data
            case "CONFIG": folder.configuration
            default: word
            }
        }
        let isFolderWork = command[0] == "sessions" || command[0] == "verify"
        return named + (isFolderWork ? ["--config", folder.configuration] : [])
    }

    @Test(arguments: commands)
    func `a disk that is full behind standard output is told and no success`(
        command: [String]
    ) throws {
        let folder = try FilledFolder()
        try folder.add(["match-1": .new()], idleSince: nil)
        let end = try ToolProcess(arguments(command, folder), output: .full).end()
        #expect(end.code == 1)
        #expect(
            end.error.hasSuffix("coordd: cannot write standard output: No space left on device\n"),
            "\(end)")
    }

    @Test(arguments: commands)
    func `a standard output that is closed is told and no success`(command: [String]) throws {
        let folder = try FilledFolder()
        try folder.add(["match-1": .new()], idleSince: nil)
        let end = try ToolProcess(arguments(command, folder), output: .closed).end()
        #expect(end.code == 1)
        #expect(
            end.error.hasSuffix("coordd: cannot write standard output: Bad file descriptor\n"),
            "\(end)")
        let database = folder.folder.bytes(of: "data/sessions.sqlite")
        #expect(database.starts(with: Array("SQLite format 3".utf8)))
    }

    @Test func `whoever watches ends with the first line that is lost`() async throws {
        let end = try await withServer { server in
            try ToolProcess(
                ["watch", "s", "--connect", "127.0.0.1:\(server.port)"], output: .full
            ).end()
        }
        #expect(end.code == 1)
        #expect(
            end.error.hasSuffix("coordd: cannot write standard output: No space left on device\n"),
            "\(end)")
    }

    @Test func `a fault is told once, and other failures keep their code`() async {
        let fault = SystemFault(action: "write standard output", reason: "none")
        let said = Locked("")
        let tool = Tool(
            environment: [:], isRoot: true,
            console: Console(
                print: { _ in }, complain: { text in said.withLock { $0 += text } },
                fault: { fault }))
        #expect(await tool.run(["help"]) == .failed)
        #expect(said.withLock { $0 } == "coordd: cannot write standard output: none\n")
        #expect(await tool.run([]) == .usage)
    }
}

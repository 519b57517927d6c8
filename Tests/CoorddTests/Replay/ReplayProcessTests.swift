import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReplayProcessTests {
    private static let step =
        #"{"at":0,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.open"}}"# + "\n"

    @Test func `standard input is read even where it has no name to open`() async throws {
        try await onBlockingThread {
            let tool = try ToolProcess(["replay", "-", "--json"])
            try tool.finishInput(Self.step)
            let end = try tool.end()
            #expect(end.code == 0)
            #expect(end.error == "")
            let record = try JSONParser.parse(text: end.output).root
            #expect(record["file"] == "standard input")
            #expect(record["steps"]?.array?.count == 1)
        }
    }

    @Test func `a fault in standard input is told with its line`() async throws {
        try await onBlockingThread {
            let tool = try ToolProcess(["replay", "-"])
            try tool.finishInput(Self.step + "no JSON\n")
            let end = try tool.end()
            #expect(end.code == 2)
            #expect(end.output == "")
            #expect(end.error.hasPrefix("standard input:2: "))
        }
    }

    @Test func `Ctrl-C ends a replay with 130`() async throws {
        try await withServer { server in
            let folder = try TestFolder()
            // The second step is an hour away.
            let later = Self.step.replacing(#""at":0"#, with: #""at":3600000"#)
            try folder.write(Array((Self.step + later).utf8), to: "t.jsonl")
            let tool = try ToolProcess(
                ["replay", folder.file("t.jsonl"), "--connect", "127.0.0.1:\(server.port)"])
            // It plays when it says so, and hears signals then.
            #expect(tool.firstOutput().hasPrefix("session replay-"))
            tool.interrupt()
            let end = try tool.end()
            #expect(end.code == 130)
            #expect(!end.output.contains("steps:"))
        }
    }
}

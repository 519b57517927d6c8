import Coordinator
import Testing
import coordd

/// The whole command with a daemon of its own, over everything that it speaks.
@Suite struct BenchCommandTests {
    @Test(arguments: [
        ["--rate", "50"], ["--window", "2"], ["--carrier", "websocket", "--rate", "50"],
        ["--carrier", "websocket", "--codec", "protobuf", "--window", "1"],
    ])
    func `every event comes to every screen`(flags: [String]) throws {
        let arguments = ["bench", "--sessions", "2", "--screens", "2", "--seconds", "1", "--json"]
        let tool = try ToolProcess(arguments + flags)
        let (code, output, error) = try tool.end()
        #expect(error == "")
        #expect(code == 0)
        let report = try JSONParser.parse(text: output).root
        #expect(report["ok"] == true)
        #expect(report["connections"] == 6)
        #expect((report["deliveries"]?.number?.unsigned ?? 0) > 0)
        #expect(report["lost"] == 0)
    }

    @Test func `a daemon that is not there is one complaint`() async {
        let run = await ToolRun(["bench", "--connect", "127.0.0.1:1"])
        #expect(run.code == .failed)
        #expect(run.error.hasPrefix("coordd bench: cannot connect: "))
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(run.output == "")
    }
}

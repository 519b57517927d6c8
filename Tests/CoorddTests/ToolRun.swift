import coordd

/// A run of the program inside the test's process, and what it said.
struct ToolRun {
    var code: ExitCode
    var output = ""
    var error = ""

    init(_ arguments: [String], environment: [String: String] = [:]) async {
        let (stream, continuation) = AsyncStream.makeStream(of: (text: String, isError: Bool).self)
        let console = Console(
            print: { continuation.yield(($0, false)) }, complain: { continuation.yield(($0, true)) }
        )
        let tool = Tool(environment: environment, isRoot: true, console: console)
        code = await tool.run(arguments)
        continuation.finish()
        for await part in stream {
            if part.isError { error += part.text } else { output += part.text }
        }
    }
}

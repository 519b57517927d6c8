import Actors
import Glibc

func run() async -> Int32 {
    let tool = Tool(
        environment: ProcessFacts.environment, isRoot: ProcessFacts.isRoot, console: .standard)
    return await tool.run(Array(CommandLine.arguments.dropFirst())).rawValue
}

StandardStream.occupy()
ProcessMemory.shareHeap()
exit(await run())

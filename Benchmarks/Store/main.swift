import Glibc

do {
    try await Benchmark(Options(CommandLine.arguments.dropFirst())).run()
} catch let fault as Options.Fault {
    Output.note(fault.message)
    exit(2)
} catch {
    Output.note("bench-store: \(error)")
    exit(1)
}

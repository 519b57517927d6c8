import Foundation
import Rehearsal
import Testing

/// The whole daemon in simulated worlds; `make simulate` plays many more.
@Suite(.timeLimit(.minutes(5)))
struct RehearsalTests {
    /// The program beside the tests, because a seed replays exactly only in a process that began
    /// with the same order of sets.
    private func rehearse(_ arguments: String...) throws -> (code: Int32, output: String) {
        let process = Process()
        // A pipe would have no end while a process of another test has it, too.
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("coordd-test-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("rehearse")
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        let bytes = try Data(contentsOf: output)
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test func `whatever breaks, nothing is lost, repeated or told wrong`() throws {
        let run = try rehearse("--seeds", "8", "--steps", "1200")
        #expect(run.code == 0, "\(run.output)")
    }

    @Test func `a seed replays exactly`() throws {
        let runs = try (0..<2).map { _ in try rehearse("--seed", "3", "--steps", "1500").output }
        let digests = runs.map { $0.prefix { $0 != "\n" } }
        #expect(digests[0].hasPrefix("seed 3, digest "))
        #expect(digests[0] == digests[1])
    }

    @Test func `wrong arguments are refused`() throws {
        #expect(try rehearse("--seeds", "many").code == 2)
        #expect(try rehearse("--worlds", "1").code == 2)
    }

    @Test(arguments: Rehearsal.Lie.allCases)
    func `a disk that lies is found out`(lie: Rehearsal.Lie) {
        let problem = (1...40 as ClosedRange<UInt64>).lazy.compactMap { seed -> String? in
            var rehearsal = Rehearsal(seed: seed, steps: 1500)
            rehearsal.lie = lie
            return rehearsal.run().problem
        }.first
        #expect(problem != nil)
    }
}

import Coordinator
import Glibc
import Testing
import coordd

@Suite struct SimulationRunTests {
    private struct Outcome {
        var lines: [String] = []
        var notes: [String] = []
        var passing: [String?] = []
        var exitCode: Int32?
    }

    private static func run(
        isJSON: Bool = false, prepare: (FakeDaemon) -> Void = { _ in },
        during: (SimulationRun, FakeDaemon) -> Void = { _, _ in }
    ) -> Outcome {
        let daemon = FakeDaemon()
        prepare(daemon)
        let dial = daemon.makeContext().dial
        var outcome = Outcome()
        let plan = SimulatedSession.Plan(mirrors: 1, milliseconds: 4000, seed: 2, name: "r")
        let run = SimulationRun(
            options: .init(address: "127.0.0.1:1", sessions: 2, plan: plan, isJSON: isJSON),
            world: .init(
                now: { daemon.time }, dial: { dial($1, $2) }, print: { outcome.lines.append($0) },
                note: { outcome.notes.append($0) }, progress: { outcome.passing.append($0) },
                finish: { outcome.exitCode = $0 }))
        daemon.use(run.context)
        run.start()
        during(run, daemon)
        daemon.run { outcome.exitCode != nil }
        return outcome
    }

    @Test func `a run prints its table once and exits with 0`() throws {
        let outcome = Self.run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.notes == [])
        #expect(outcome.lines.count == 1)
        let last = outcome.lines.first?.split(separator: "\n").last
        // A mirror and one or two phones a session.
        #expect(last?.hasSuffix(" screens equal the server's state, byte for byte.") == true)
        // The passing line goes away before the table comes.
        #expect(outcome.passing.count > 10)
        #expect(outcome.passing.last == .some(nil))
    }

    @Test func `with JSON the summary is one object on one line`() throws {
        let outcome = Self.run(isJSON: true)
        let line = try #require(outcome.lines.first)
        #expect(!line.contains("\n"))
        #expect(try JSONParser.parse(text: line).root["ok"] == true)
    }

    @Test func `a corrupted publication leads to exit code 1`() {
        let outcome = Self.run { daemon in
            daemon.spoil = { device, publication in
                guard device == "mirror-1-0", publication.offset == 9 else { return publication }
                let text = String(decoding: publication.data, as: UTF8.self)
                let parts = text.split(separator: #""patch":{"#)
                let data = parts.joined(separator: #""patch":{"ghost":1,"#)
                return Publication(offset: 9, data: Array(data.utf8))
            }
        }
        #expect(outcome.exitCode == 1)
        #expect(outcome.lines.first?.contains("FAILED: 1 mismatches") == true)
    }

    @Test func `an interrupted run prints what it has and exits with 130`() {
        let outcome = Self.run(during: { run, daemon in
            var turns = 0
            daemon.run {
                turns += 1
                return turns > 100
            }
            run.interrupt()
        })
        #expect(outcome.exitCode == 130)
        #expect(outcome.lines.count == 1)
    }

    @Test func `a server that cannot be reached is an error`() {
        let outcome = Self.run { daemon in daemon.isUnreachable = true }
        #expect(outcome.exitCode == 1)
        #expect(outcome.lines == [])
        #expect(outcome.notes == ["127.0.0.1:1: cannot connect: refused"])
    }
}

@Suite struct SimulationDaemonChildTests {
    @Test func `processor time is the sum of fields 14 and 15 of the process's line`() {
        // Fields as proc(5) numbers them; the name holds what could be taken for others.
        let line = "77 (coordd) 9 9 (x) S 1 77 77 0 -1 4194304 100 0 0 0 250 31 0 0 20 0 5 0 1 1 1"
        #expect(DaemonChild.processorTicks(stat: line) == 281)
        #expect(DaemonChild.processorTicks(stat: "77 (coordd) S 1") == nil)
        #expect(DaemonChild.processorTicks(stat: "") == nil)
    }

    @Test func `a temporary folder goes with all it holds`() throws {
        let path: String
        do {
            let folder = try TemporaryFolder(prefix: "coordd-test-")
            path = folder.path
            #expect(unsafe mkdir(path + "/data", 0o700) == 0)
            // A link is removed, what it leads to is not.
            #expect(unsafe symlink("/proc/self", path + "/data/link") == 0)
            let file = unsafe open(path + "/data/file", O_WRONLY | O_CREAT, 0o600)
            #expect(file >= 0 && close(file) == 0)
            #expect(unsafe access(path, F_OK) == 0)
        }
        #expect(unsafe access(path, F_OK) != 0)
        #expect(unsafe access("/proc/self/stat", F_OK) == 0)
    }
}

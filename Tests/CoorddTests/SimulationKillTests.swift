import Actors
import Coordinator
import Synchronization
import Testing
import coordd

/// A short chaos against the daemon itself.
@Suite struct SimulationKillTests {
    /// The program beside the tests' own.
    private static var program: String {
        let tests = CommandLine.arguments.first ?? ""
        return tests.prefix(upTo: tests.lastIndex(of: "/") ?? tests.startIndex) + "/coordd"
    }

    private static func summary(of options: SimulationRun.Options) async -> (
        code: Int32, text: String
    ) {
        let output = Mutex("")
        let code = await ToolLoop.run { loop, finish in
            let run = SimulationRun(
                options: options,
                world: .init(
                    now: { SteadyClock.microseconds },
                    dial: { LineClient(loop: loop, address: $0, device: $1, handler: $2) },
                    print: { text in output.withLock { $0 += text } },
                    note: { text in output.withLock { $0 += "note: \(text)\n" } },
                    progress: { _ in }, finish: finish))
            let timer = AgendaTimer(loop: loop) { run.context.runDue() }
            run.start()
            return .init(owner: Kept(run, timer)) { run.interrupt() }
        }
        return (code, output.withLock { $0 })
    }

    private final class Kept {
        let run: SimulationRun
        let timer: AgendaTimer

        init(_ run: SimulationRun, _ timer: AgendaTimer) {
            self.run = run
            self.timer = timer
        }
    }

    @Test func `five kills of the daemon lose nothing`() async throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        let plan = SimulatedSession.Plan(
            mirrors: 2, milliseconds: 4000, seed: seed, vendors: SimulatedVendor.allCases,
            chaos: true, name: "kill-\(seed)")
        let (code, text) = await Self.summary(
            of: .init(
                address: nil, sessions: 2, plan: plan, kills: 5, program: Self.program,
                isJSON: true))
        print("chaos with seed \(seed)")
        #expect(code == 0, "seed \(seed): \(text)")
        let summary = try JSONParser.parse(text: text).root
        #expect(summary["disturbances"]?["kills"] == 5)
        #expect(summary["disturbances"]?["violations"] == [:])
        #expect(summary["recoveries"]?["snapshot"] == 0)
        // Five kills and the last stop: all six screens came back at least as often.
        #expect(try #require(summary["recoveries"]?["full"]?.number?.unsigned) >= 6)
        #expect(try #require(summary["disturbances"]?["duplicates"]?.number?.unsigned) > 0)
    }
}

import Coordinator
import Testing
import coordd

@Suite struct SimulationTests {
    private static func summary(
        sessions: Int = 3, mirrors: Int = 2, chaos: Bool = false,
        prepare: (FakeDaemon) -> Void = { _ in }
    ) -> SimulationSummary {
        let daemon = FakeDaemon()
        prepare(daemon)
        let context = daemon.makeContext(toleratesLoss: chaos)
        let plan = SimulatedSession.Plan(
            mirrors: mirrors, milliseconds: 20_000, seed: 11, chaos: chaos, name: "t")
        let simulation = Simulation(count: sessions, plan: plan, context: context)
        var isDone = false
        simulation.onFinished = { isDone = true }
        simulation.start()
        daemon.run { isDone }
        #expect(isDone)
        return SimulationSummary(
            plan: plan, sessions: simulation.started,
            seconds: Double(simulation.playedMicroseconds) / 1_000_000, tally: context.tally)
    }

    @Test func `an honest server leaves nothing to complain about`() {
        let summary = Self.summary()
        #expect(summary.tally.problems == [])
        #expect(summary.exitCode == 0)
        // Two mirrors a session, and two phones, since each stage was taken over.
        #expect(summary.tally.screensCompared == 12)
        // One mirror of each session goes away in the middle and recovers every publication.
        #expect(summary.tally.reconnects == 3)
        #expect(summary.tally.fullRecoveries == 3)
        #expect(summary.tally.snapshotRecoveries == 0)
        #expect(summary.tally.eventsSent == summary.tally.eventsAccepted)
        #expect(summary.tally.placements > 0)
        #expect(summary.tally.settlements.values.reduce(0, +) > 0)
        // About five events a second of each session, and the answers to effects.
        #expect((10.0...25.0).contains(summary.eventsPerSecond))
        // The fake network takes half a millisecond each way, also for a push.
        #expect(summary.tally.latencyToScreens.percentile(99) == 1000)
        #expect(summary.tally.latencyToAnswers.percentile(99) == 1000)
    }

    @Test func `chaos on an honest server is still honest`() {
        let summary = Self.summary(chaos: true)
        #expect(summary.tally.problems == [])
        #expect(summary.exitCode == 0)
        #expect(summary.tally.reconnects > 3)
    }

    @Test func `a corrupted publication is a mismatch and fails the run`() {
        let summary = Self.summary { daemon in
            daemon.spoil = { device, publication in
                guard device == "mirror-1-1", publication.offset == 20 else { return publication }
                let text = String(decoding: publication.data, as: UTF8.self)
                // A member that the server does not have stays in the mirror's state.
                let data = text.split(separator: #""patch":{"#).joined(
                    separator: #""patch":{"ghost":1,"#)
                return Publication(offset: 20, data: Array(data.utf8))
            }
        }
        #expect(summary.tally.mismatches == 1)
        #expect(summary.tally.faults == [:])
        #expect(summary.exitCode == 1)
        #expect(summary.text.contains("mirror-1-1"))
        #expect(summary.text.contains("ghost: 1 here, absent there"))
    }

    @Test func `a publication left out is a gap and fails the run`() {
        let summary = Self.summary { daemon in
            daemon.spoil = { device, publication in
                device == "mirror-0-1" && publication.offset == 20 ? nil : publication
            }
        }
        #expect(summary.tally.faults == ["gap": 1])
        #expect(summary.exitCode == 1)
    }

    @Test func `a publication with an old offset is a repetition and fails the run`() {
        let summary = Self.summary { daemon in
            daemon.spoil = { device, publication in
                guard device == "phone-0", publication.offset == 20 else { return publication }
                let text = String(decoding: publication.data, as: UTF8.self)
                let data = text.split(separator: #""rev":20"#).joined(separator: #""rev":19"#)
                return Publication(offset: 19, data: Array(data.utf8))
            }
        }
        #expect(summary.tally.faults["repetition"] == 1)
        #expect(summary.exitCode == 1)
    }

    @Test func `a published secret fails the run`() {
        let summary = Self.summary { $0.publishesSecrets = true }
        #expect(summary.tally.unexpected.keys.sorted() == ["a secret was published"])
        #expect(summary.tally.unexpected.values.reduce(0, +) >= 3)
        #expect(summary.exitCode == 1)
    }

    @Test func `a refusal that the rules make possible is counted by its reason`() {
        let summary = Self.summary { daemon in
            daemon.refuse = { event in
                event["type"] == "betslip.place"
                    ? ReplyError(code: 409, message: "betslip.empty: nothing to place") : nil
            }
        }
        #expect(summary.tally.rejections.keys.sorted() == ["betslip.empty"])
        #expect(summary.tally.placements == 0)
        #expect(summary.exitCode == 0)
    }

    @Test func `any other refusal fails the run`() {
        let summary = Self.summary { daemon in
            daemon.refuse = { event in
                event["type"] == "betslip.update"
                    ? ReplyError(code: 422, message: "event.invalid: stake") : nil
            }
        }
        #expect(summary.tally.unexpected.keys.sorted() == ["422 event.invalid: stake"])
        #expect(summary.exitCode == 1)
    }
}

@Suite struct SimulationSummaryTests {
    private static func summary() -> SimulationSummary {
        var tally = Tally()
        tally.eventsSent = 120
        tally.eventsAccepted = 110
        tally.rejections = ["betslip.busy": 7, "betslip.empty": 3]
        tally.latencyToScreens.record(1500)
        tally.screensCompared = 3
        let plan = SimulatedSession.Plan(mirrors: 2, milliseconds: 10_000, seed: 5, name: "s")
        return SimulationSummary(plan: plan, sessions: 1, seconds: 10, tally: tally)
    }

    @Test func `the table has aligned lines and a verdict`() {
        let lines = Self.summary().text.split(separator: "\n").map(String.init)
        #expect(lines.contains("  events sent             120, 12.0 a second"))
        #expect(lines.contains("    rejected by rules     10 (betslip.busy 7, betslip.empty 3)"))
        #expect(
            lines.contains(
                "  latency to screens      p50 1.50, p95 1.50, p99 1.50, max 1.50 ms"))
        #expect(lines.last == "All 3 screens equal the server's state, byte for byte.")
    }

    @Test func `hostile text in a problem cannot steer the terminal`() {
        var summary = Self.summary()
        summary.tally.mismatch("\u{1B}[2J")
        #expect(!summary.text.unicodeScalars.contains("\u{1B}"))
        #expect(summary.exitCode == 1)
    }

    @Test func `an interrupted run exits with 130`() {
        var summary = Self.summary()
        summary.interrupted = true
        #expect(summary.exitCode == 130)
        #expect(summary.text.hasSuffix("Interrupted: the screens were not compared."))
    }

    @Test func `the JSON has the same facts`() {
        let json = Self.summary().json
        #expect(json["events"]?["sent"] == 120)
        #expect(json["events"]?["rejected"] == ["betslip.busy": 7, "betslip.empty": 3])
        #expect(
            json["latencyMilliseconds"]?["toScreens"]?["p99"]
                == .number(JSONNumber(text: "1.500")))
        #expect(json["ok"] == true)
    }

    @Test(arguments: [
        (1.005, 1, "1.0"), (0.05, 1, "0.1"), (-0.04, 1, "0.0"), (-1.5, 0, "-2"),
        (12.3456, 3, "12.346"),
        (0.007, 2, "0.01"),
    ])
    func `numbers are rounded to their places`(value: Double, places: Int, text: String) {
        #expect(SimulationSummary.fixed(value, places: places) == text)
    }
}

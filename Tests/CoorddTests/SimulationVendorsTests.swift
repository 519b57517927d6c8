import Coordinator
import Testing
import coordd

/// All vendors against the daemon itself.
@Suite struct SimulationVendorsTests {
    @Test func `phones of every vendor do what their sessions say`() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("all vendors with seed \(seed)")
        let tool = try ToolProcess([
            "simulate", "--vendor", "all", "--sessions", "5", "--mirrors", "1", "--seconds", "4",
            "--seed", "\(seed)", "--json",
        ])
        let (code, output, error) = try tool.end()
        #expect(code == 0, "seed \(seed): \(output) \(error)")
        let summary = try JSONParser.parse(text: output).root
        #expect(summary["vendor"] == "all")
        for vendor in SimulatedVendor.allCases {
            let counts = try #require(summary["vendors"]?[vendor.rawValue])
            #expect(counts["sessions"] == 1)
            #expect(counts["effectsDone"] != 0, "\(vendor)")
            #expect(counts["scenes"]?.object?.isEmpty == false, "\(vendor)")
        }
        #expect(try #require(summary["phonesCompared"]?.number?.unsigned) >= 5)
        #expect(summary["phoneDifferences"] == 0)
    }

    @Test func `the table has a line for each vendor and stays narrow`() {
        var tally = Tally()
        for vendor in SimulatedVendor.allCases {
            var counts = VendorTally()
            counts.sessions = 2
            counts.events = 410
            counts.done = 300
            counts.takeOvers = 3
            for scene in vendor.script.scenes { counts.scenes[scene.name] = 12 }
            counts.warnings = ["bridge.unhandled": 4]
            tally.vendors[vendor.rawValue] = counts
        }
        let plan = SimulatedSession.Plan(
            mirrors: 2, milliseconds: 10_000, seed: 5, vendors: SimulatedVendor.allCases, name: "s")
        let text = SimulationSummary(plan: plan, sessions: 10, seconds: 10, tally: tally).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= 120 })
        #expect(
            lines.contains(
                "  vendor        sessions  events  effects done  refused  warnings  take-overs"))
        #expect(
            lines.contains(
                "  sauceflex            2     410           300        0         4           3"))
        #expect(lines.count < 90)
    }
}

import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConcurrencyTests {
    private static let threads = 8
    private static let devices = 200
    private static let eventsEach = 20

    @Test func `two hundred devices on one session see one order`() async throws {
        let total = UInt64(Self.devices * Self.eventsEach)
        try await withServer {
            $0.server.outboundBytes = 16_777_216
            // A slow run under a sanitizer is no fault; these devices do not answer pings.
            $0.server.client.pingSeconds = 0
        } _: { server in
            let ledger = PublicationLedger()
            let reports = Locked<[ConcurrencyDevice.Report]>([])
            let failures = Locked<[String]>([])
            let port = server.port
            onThreads(Self.threads) { thread in
                do {
                    let own = try Self.converse(thread: thread, port: port, ledger, total)
                    reports.withLock { $0 += own }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let all = reports.withLock { $0 }
            #expect(all.count == Self.devices)
            #expect(all.flatMap(\.faults).prefix(5) == [])
            let lines = ledger.all
            #expect(lines.count == total)
            // Every event has a revision of its own, and a device's own events keep their order.
            #expect(all.flatMap(\.answers).sorted().elementsEqual(1...total))
            for report in all { #expect(report.answers == report.answers.sorted()) }

            let witness = try RawClient(port: server.port, device: "witness")
            let state = try witness.rpc("session.state", "a").result
            #expect(state.unsigned("rev") == total)
            // All saw the same bytes, so one fold is everybody's, from whatever snapshot.
            let snapshots = Dictionary(grouping: all, by: \.snapshotRevision)
            #expect(snapshots[0] != nil)
            guard let first = snapshots[0]?.first?.snapshot else { return }
            var folded = FoldedMirror(epoch: "", revision: 0, state: first)
            for line in lines {
                for report in snapshots[folded.revision] ?? [] {
                    #expect(report.snapshot == folded.state)
                }
                guard
                    case .push(_, "pub", let publication) = try JSONCodec.decodeServerMessage(
                        line.span)
                else { continue }
                try folded.take(publication: publication)
            }
            #expect(folded.state == state["state"])
        }
    }

    /// One thread's share of the devices: half of them join while the others are sending.
    private static func converse(
        thread: Int, port: UInt16, _ ledger: PublicationLedger, _ total: UInt64
    ) throws -> [ConcurrencyDevice.Report] {
        let share = devices / threads
        var own: [ConcurrencyDevice] = []
        func join(_ range: Range<Int>) throws {
            for index in range {
                let name = "\(10_000 + thread * share + index)"
                own.append(try ConcurrencyDevice(port: port, name: name, ledger: ledger))
            }
        }
        try join(0..<share / 2)
        for round in 0..<eventsEach {
            for device in own { device.sendOne() }
            for device in own { device.look() }
            if round == 0 { try join(share / 2..<share) }
        }
        // Those that came a round later.
        for device in own.dropFirst(share / 2) { device.sendOne() }
        for device in own { try device.finish(at: total) }
        return own.map(\.report)
    }
}

import Actors
import Coordinator
import Glibc
import TestSupport
import Testing

/// C58 of Docs/Cases.md: a daemon whose descriptors are taken by clients.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct DescriptorTests {
    private static let descriptors = 256
    /// A quarter of the descriptors is not for connections.
    private static let places = 192

    @Test
    func
        `C58: with all places taken the daemon works on, stores, and serves again when some are free`()
        async throws
    {
        try await onBlockingThread { try play() }
    }

    private func play() throws {
        let folder = try TestFolder()
        try folder.write(
            Array(
                #"{"data": "data", "limits": {"connections": 1000}, "snapshot": {"revisions": 2}}"#
                    .utf8), to: "coordd.json")
        let process = try ToolProcess(
            ["serve", "--config", folder.file("coordd.json"), "--listen", "127.0.0.1:0"],
            descriptors: Self.descriptors)
        defer { process.send(SIGKILL) }
        let log = try process.complaints(until: "\"listening\"")
        #expect(log.contains("too few descriptors for limits.connections"))
        #expect(log.contains("\"connections\":\(Self.places)"))
        let port = try #require(
            UInt16(log.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber } ?? ""))

        let start = ContinuousClock.now
        let phone = try RawClient(port: port, device: "phone")
        try phone.subscribe("a")
        let tv = try RawClient(port: port, device: "tv")
        try tv.subscribe("a")
        var held: [RawClient] = []
        var refused = 0
        for _ in 0..<400 {
            let client = try RawClient(port: port)
            // The surplus is told so and closed at once; the others are answered.
            client.send(#"{"id":1,"connect":{}}"#)
            let answer = try client.line()
            if answer.contains(#""code":106"#) {
                refused += 1
            } else {
                #expect(answer.contains(#""connect":{"#))
                held.append(client)
            }
        }
        #expect(held.count == Self.places - 2)
        #expect(refused == 400 - held.count)
        // Commits and snapshots go on, and others hear of each revision.
        for revision in UInt64(1)...20 {
            let event = #"{"type":"betslip.update","stake":\#(revision)}"#
            #expect(try phone.apply(event, to: "a") == .result(["rev": .integer(revision)]))
            #expect(try tv.push().payload.unsigned("offset") == revision)
        }
        // Some go, and others are served.
        for client in held.prefix(100) { client.close() }
        held.removeFirst(100)
        var late = 0
        while late < 50 {
            let client = try RawClient(port: port)
            client.send(#"{"id":1,"connect":{}}"#)
            // Until the server has seen the ends there is no place.
            if try client.line().contains(#""connect":{"#) {
                late += 1
                held.append(client)
            }
        }
        let page = try RawClient(port: port).get("/metrics").body
        #expect(page.contains("\ncoordd_commit_failures_total 0\n"))
        #expect(page.contains("\ncoordd_process_max_fds \(Self.descriptors)\n"))
        let seconds = (ContinuousClock.now - start).components.seconds
        process.send(SIGTERM)
        for client in held { client.close() }
        phone.close()
        tv.close()
        let end = try process.end()
        #expect(end.code == 0)
        let lines = (end.output + end.error).split(separator: "\n")
            .filter { $0.contains("connection refused") }
        #expect(
            (1...Int(seconds) + 2).contains(lines.count), "\(lines.count) lines in \(seconds) s")
    }
}

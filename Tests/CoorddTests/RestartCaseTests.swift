import Coordinator
import Glibc
import TestSupport
import Testing

/// Restarts of the daemon itself, by the number of Docs/Cases.md.
@Suite(.timeLimit(.minutes(5)))
struct RestartCaseTests {
    /// A daemon as a process, on a folder that outlives it.
    private struct Daemon {
        let process: ToolProcess
        let port: UInt16

        init(_ folder: TestFolder, drainSeconds: Int) throws {
            let configuration = """
                {"drain":{"seconds":\(drainSeconds)},"secrets":{"keyFile":"key"}}
                """
            try folder.write(Array(configuration.utf8), to: "coordd.json")
            process = try ToolProcess([
                "serve", "--config", folder.file("coordd.json"), "--listen", "127.0.0.1:0",
                "--data", folder.file("data"),
            ])
            var log = ""
            let start = #""message":"listening","address":"127.0.0.1:"#
            while !log.contains(start) {
                let more = process.firstComplaint()
                guard !more.isEmpty else { throw RawClient.Failure.unexpected(log) }
                log += more
            }
            let address = log.firstRange(of: start).map { log[$0.upperBound...] } ?? ""
            port = UInt16(address.prefix { $0.isNumber }) ?? 0
        }
    }

    /// A phone whose bet is being placed; gives the epoch and the revision.
    private func placing(_ phone: RawClient) throws -> (epoch: String, revision: UInt64) {
        let epoch = try phone.subscribe("a").result["epoch"]?.string ?? ""
        #expect(try phone.attach("a").code == nil)
        let selection = #""sportsbookSelectionId":"s","decimalPrice":"2""#
        try phone.apply(#"{"type":"betslip.open",\#(selection)}"#, to: "a")
        let placed = try phone.apply(#"{"type":"betslip.place","placementId":"b"}"#, to: "a")
        return (epoch, placed.result.unsigned("rev") ?? 0)
    }

    private func recovered(
        _ port: UInt16, _ epoch: String, _ offset: UInt64
    ) throws -> JSON {
        let mirror = try RawClient(port: port, device: "tv")
        let position = #","recover":true,"epoch":"\#(epoch)","offset":\#(offset)"#
        return try mirror.subscribe("a", position).result
    }

    @Test func `C47: a stop is announced, loses nothing, and everybody recovers`() throws {
        let folder = try TestFolder()
        let first = try Daemon(folder, drainSeconds: 1)
        let phone = try RawClient(port: first.port, device: "phone")
        let (epoch, revision) = try placing(phone)
        let line = try RawClient(port: first.port, device: "tv")
        try line.subscribe("a")
        let socket = try RawWebSocket(port: first.port)
        try socket.call(#""connect":{"data":{"device":"tablet"}}"#)
        try socket.call(#""subscribe":{"channel":"session:a"}"#)

        first.process.send(SIGTERM)
        let shutdown = #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#
        #expect(line.rest().lines == [shutdown])
        // It drains from here on, whoever was told first.
        let health = try RawClient(port: first.port).get("/readyz")
        #expect(health.status == 503)
        let late = try RawClient(port: first.port)
        late.send(#"{"id":1,"connect":{}}"#)
        #expect(late.rest().lines == [shutdown])
        #expect(try RawWebSocket(port: first.port).answer.status == 503)
        #expect(try socket.frame().code == 3001)
        #expect(phone.rest().lines.last == shutdown)
        for client in [line, late, socket.client, phone] { client.close() }
        #expect(try first.process.end().code == 0)

        let second = try Daemon(folder, drainSeconds: 0)
        let back = try recovered(second.port, epoch, revision - 1)
        #expect(back["recovered"]?.bool == true)
        #expect(back["epoch"]?.string == epoch)
        let missed = back["publications"]?.array ?? []
        #expect(missed.first?.unsigned("offset") == revision)
        let again = try RawWebSocket(port: second.port)
        try again.call(#""connect":{"data":{"device":"tablet"}}"#)
        let position = #""recover":true,"epoch":"\#(epoch)","offset":\#(revision)"#
        let tablet = try again.call(
            #""subscribe":{"channel":"session:a",\#(position)}"#
        ).result
        #expect(tablet["recovered"]?.bool == true && tablet["data"] == nil)
        let state = try RawClient(port: second.port, device: "x").rpc("session.state", "a").result
        #expect(["placing", "unknown"].contains(state.at("state", "betslip", "status")?.string))
        second.process.send(SIGTERM)
        #expect(try second.process.end().code == 0)
    }

    @Test func `C47: the second signal ends at once, without harm`() throws {
        let folder = try TestFolder()
        let first = try Daemon(folder, drainSeconds: 60)
        let phone = try RawClient(port: first.port, device: "phone")
        let (epoch, revision) = try placing(phone)
        first.process.send(SIGTERM)
        // The first of the connections is told at once; others would be much later.
        let shutdown = #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#
        #expect(phone.rest().lines.last == shutdown)
        let open = try RawClient(port: first.port)
        #expect(try open.get("/readyz").status == 503)
        first.process.send(SIGTERM)
        #expect(try first.process.end().code == 0)

        let second = try Daemon(folder, drainSeconds: 0)
        let back = try recovered(second.port, epoch, revision)
        #expect(back["recovered"]?.bool == true)
        second.process.send(SIGTERM)
        #expect(try second.process.end().code == 0)
    }
}

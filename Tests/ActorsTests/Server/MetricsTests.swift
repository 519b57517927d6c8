import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricsTests {
    private func page(_ server: TestServer) throws -> PrometheusText {
        let answer = try RawClient(port: server.port).get("/metrics")
        #expect(answer.status == 200)
        #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try PrometheusText(answer.body)
    }

    private func event(_ type: String, _ outcome: String) -> String {
        "coordd_events_total{type=\"\(type)\",outcome=\"\(outcome)\"}"
    }

    @Test func `a conversation leaves exactly its traces`() async throws {
        try await withServer {
            $0.session.historySize = 2
        } _: { server in
            let phone = try RawClient(port: server.port, device: "phone")
            let tablet = try RawClient(port: server.port, device: "tablet")
            let epoch = try tablet.subscribe("a").result["epoch"]?.string ?? ""
            // Revision 1; two subscribers from the next on.
            try phone.attach("a")
            try phone.subscribe("a")
            // Revisions 2 and 3, one of them answered again.
            try tablet.apply(#"{"type":"fullscreen.toggle"}"#, to: "a", #","id":"x""#)
            try tablet.apply(#"{"type":"fullscreen.toggle"}"#, to: "a", #","id":"x""#)
            try tablet.apply(#"{"type":"betslip.update","stake":5}"#, to: "a")
            // A signal, no change, and one of each refusal.
            try phone.apply(#"{"type":"bridge","handler":"page","body":1}"#, to: "a")
            try tablet.apply(#"{"type":"betslip.update","stake":5}"#, to: "a")
            try tablet.apply(#"{"type":"betslip.place","placementId":"p"}"#, to: "a")
            try tablet.apply(#"{"type":"fullscreen.set","on":1}"#, to: "a")
            try tablet.apply(#"{"type":"player.close"}"#, to: "a")
            try tablet.apply(#"{"type":"door.open"}"#, to: "a")
            try tablet.apply(#"{"type":"door.open"}"#, to: "nowhere")
            // One recovery in full, one that comes too late, one that was not asked for.
            for offset in [1, 0] {
                let tv = try RawClient(port: server.port, device: "tv\(offset)")
                try tv.subscribe("a", #","recover":true,"epoch":"\#(epoch)","offset":\#(offset)"#)
            }
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
            let hostile = try RawClient(port: server.port, device: "x")
            hostile.send("[]")
            #expect(hostile.rest().end == .ended)
            hostile.close()
            #expect(await server.settled(2) { await $0.connectionCount } == 2)

            let page = try page(server)
            let wanted: [String: Double] = [
                "coordd_connections{carrier=\"line\"}": 2,
                "coordd_connections{carrier=\"http\"}": 1,
                "coordd_connections{carrier=\"undecided\"}": 0,
                "coordd_connections_accepted_total": 6,
                "coordd_connections_refused_total": 0,
                "coordd_sessions_active": 1,
                "coordd_sessions_stored": 1,
                "coordd_sessions{state=\"attached\"}": 1,
                "coordd_sessions{state=\"suspended\"}": 0,
                "coordd_sessions{state=\"closed\"}": 0,
                "coordd_sessions{state=\"quarantined\"}": 0,
                event("fullscreen.toggle", "accepted"): 1,
                event("fullscreen.toggle", "duplicate"): 1,
                event("betslip.update", "accepted"): 1,
                event("betslip.update", "unchanged"): 1,
                event("bridge", "signal"): 1,
                event("betslip.place", "rejected_409"): 1,
                event("fullscreen.set", "rejected_422"): 1,
                event("player.close", "rejected_103"): 1,
                event("other", "rejected_422"): 1,
                // The attach, two commands and the signal: one subscriber, then two.
                "coordd_publications_total": 4,
                "coordd_deliveries_total": 7,
                "coordd_recoveries_total{recovered=\"true\"}": 1,
                "coordd_recoveries_total{recovered=\"false\"}": 1,
                "coordd_errors_total{code=\"102\"}": 1,
                "coordd_errors_total{code=\"103\"}": 1,
                "coordd_errors_total{code=\"409\"}": 1,
                "coordd_errors_total{code=\"422\"}": 2,
                "coordd_errors_total{code=\"111\"}": 0,
                "coordd_disconnects_total{code=\"3501\"}": 1,
                "coordd_slow_disconnects_total": 0,
                "coordd_rate_refusals_total": 0,
                "coordd_publish_latency_seconds_count": 3,
                "coordd_commit_queue_depth": 0,
                "coordd_commit_failures_total": 0,
                // The session's making and three revisions.
                "coordd_commit_latency_seconds_count": 4,
                "coordd_ready": 1,
                "coordd_outbound_queue_bytes": 0,
                "coordd_http_responses_total{class=\"2xx\"}": 0,
                "coordd_build_info{version=\"coordd\"}": 1,
            ]
            for (series, value) in wanted {
                #expect(page.values[series] == value, "\(series)")
            }
            let events = page.series.filter { $0.hasPrefix("coordd_events_total") }
            #expect(events.reduce(0) { $0 + (page.values[$1] ?? 0) } == 9)
            for series in ["received_bytes_total", "sent_bytes_total"] {
                #expect(page.values["coordd_\(series)"] ?? 0 > 1000)
            }
            for series in ["resident_memory_bytes", "open_fds", "max_fds", "cpu_seconds_total"] {
                #expect(page.values["coordd_process_\(series)"] ?? 0 > 0)
            }
        }
    }

    @Test func `whatever clients name, the series stay the same`() async throws {
        try await withServer { server in
            let before = try page(server).series
            let client = try RawClient(port: server.port, device: "tablet")
            try client.subscribe("a")
            for number in 0..<50 {
                try client.apply(#"{"type":"door.\#(number)"}"#, to: "a")
                try client.call(#""rpc":{"method":"m\#(number)","data":{}}"#)
                _ = try RawClient(port: server.port).get("/path\(number)")
            }
            let page = try page(server)
            #expect(page.series == before)
            #expect(page.values[event("other", "rejected_422")] == 50)
            #expect(page.values["coordd_errors_total{code=\"104\"}"] == 50)
            #expect(page.values["coordd_http_responses_total{class=\"4xx\"}"] == 50)
        }
    }

    @Test func `rate refusals, slow readers and refused connections are counted`() async throws {
        try await withServer {
            $0.server.client.eventsPerSecond = 1
            $0.server.connections = 2
            $0.server.outboundBytes = 2000
        } _: { server in
            let client = try RawClient(port: server.port, device: "tablet")
            try client.subscribe("a")
            let event = RawClient.applying(#"{"type":"betslip.close"}"#, to: "a")
            client.send((11...20).map { "{\"id\":\($0),\(event)}" }.joined(separator: "\n"))
            var refusals = 0.0
            for id in UInt32(11)...20 where try client.answer(to: id).code == 111 { refusals += 1 }
            let slow = try RawClient(port: server.port, device: "slow", receiveBytes: 4096)
            #expect([.ended, .reset].contains(try RawClient(port: server.port).rest().end))
            let state = #""rpc":{"method":"session.state","data":{"session":"a"}}"#
            // What waits for a commit is answered in one turn, before anything is written.
            let change = RawClient.applying(#"{"type":"betslip.update","stake":9}"#, to: "a")
            let questions = (10..<20).map { "{\"id\":\($0),\(state)}" }
            slow.send((["{\"id\":9,\(change)}"] + questions).joined(separator: "\n"))
            #expect(slow.rest().end == .reset)
            let page = try page(server)
            #expect(page.values["coordd_rate_refusals_total"] == refusals)
            #expect(page.values["coordd_errors_total{code=\"111\"}"] == refusals)
            #expect(page.values["coordd_slow_disconnects_total"] == 1)
            #expect(page.values["coordd_disconnects_total{code=\"3008\"}"] == 1)
            #expect(page.values["coordd_connections_refused_total"] == 1)
            #expect(page.values["coordd_connections_accepted_total"] == 3)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", 200), ("127.8.8.8", 200), ("::1", 200), ("::ffff:127.0.0.1", 200),
        ("10.0.0.1", 403), ("::ffff:10.0.0.1", 403), ("fe80::1", 403), ("", 403), ("::", 403),
        ("128.0.0.1", 403), ("12.7.0.1", 403),
    ])
    func `only this machine gets the metrics`(peer: String, status: Int) async throws {
        try await withServer { server in
            #expect(await server.httpStatus("/metrics", from: peer) == status)
            #expect(await server.httpStatus("/healthz", from: peer) == 200)
        }
    }
}

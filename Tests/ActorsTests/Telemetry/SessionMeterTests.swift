import Actors
import Coordinator
import TestSupport
import Testing

/// What a session's actor measures, on a loop and with a store that stand still between.
struct SessionMeterTests {
    private static let fullscreen: JSON = ["type": "fullscreen.toggle"]

    /// The numbers of a histogram: how many observations up to each bound, and their sum.
    private func buckets(_ page: PrometheusText, _ name: String) -> [String: Double] {
        var found: [String: Double] = [:]
        for le in ["0.0025", "0.005", "0.01", "+Inf"] {
            found[le] = page.values["coordd_\(name)_seconds_bucket{le=\"\(le)\"}"]
        }
        found["sum"] = page.values["coordd_\(name)_seconds_sum"]
        return found
    }

    private func page(_ rig: GateRig) throws -> PrometheusText {
        try PrometheusText(
            String(decoding: rig.system.metrics.page(), as: UTF8.self))
    }

    @Test func `a publication takes from its event to its commit`() throws {
        let rig = try GateRig()
        let (_, mirror) = rig.opened()
        let before = try page(rig)
        // Two commits at once for the session and the stage, both without waiting.
        #expect(before.values["coordd_commit_latency_seconds_count"] == 2)
        #expect(before.values["coordd_publish_latency_seconds_count"] == 1)

        rig.apply(mirror, 10, Self.fullscreen)
        rig.loop.advance(byMilliseconds: 1)
        rig.apply(mirror, 11, Self.fullscreen)
        #expect(try page(rig).values["coordd_commit_queue_depth"] == 2)
        rig.loop.advance(byMilliseconds: 4)
        rig.settle()
        let after = try page(rig)
        #expect(after.values["coordd_commit_queue_depth"] == 0)
        // 5 ms and 4 ms; what came before took nothing.
        #expect(
            buckets(after, "commit_latency")
                == ["0.0025": 2, "0.005": 4, "0.01": 4, "+Inf": 4, "sum": 0.009])
        #expect(
            buckets(after, "publish_latency")
                == ["0.0025": 1, "0.005": 3, "0.01": 3, "+Inf": 3, "sum": 0.009])
        #expect(after.values["coordd_publications_total"] == 3)
        // The stage follows nothing but its own channel and the session's; the mirror too.
        #expect(after.values["coordd_deliveries_total"] == 6)
    }

    @Test func `a commit that fails is counted and not timed`() throws {
        let rig = try GateRig()
        let (_, mirror) = rig.opened()
        rig.apply(mirror, 10, Self.fullscreen)
        rig.apply(mirror, 11, Self.fullscreen)
        rig.loop.advance(byMilliseconds: 5)
        rig.fail()
        let page = try page(rig)
        #expect(page.values["coordd_commit_queue_depth"] == 0)
        #expect(page.values["coordd_commit_failures_total"] == 2)
        #expect(page.values["coordd_commit_latency_seconds_count"] == 2)
        #expect(page.values["coordd_publish_latency_seconds_count"] == 1)
        // They were decided before that.
        #expect(
            page.values["coordd_events_total{type=\"fullscreen.toggle\",outcome=\"accepted\"}"] == 2
        )
    }

    @Test func `a version may hold anything`() throws {
        let rig = try GateRig()
        let page = rig.system.metrics.page(version: "a\"b\\c\nd")
        let read = try PrometheusText(String(decoding: page, as: UTF8.self))
        #expect(read.values["coordd_build_info{version=\"a\\\"b\\\\c\\nd\"}"] == 1)
    }
}

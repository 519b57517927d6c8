import Actors
import Coordinator
import TestSupport
import Testing

/// Counts by names that pages make up.
struct TrackingTests {
    private func track(_ names: [String], others: [JSON] = []) throws -> PrometheusText {
        let rig = try GateRig()
        let (phone, _) = rig.opened()
        var bodies: [JSON] = names.map { ["type": "onTrack", "eventName": .string($0)] }
        bodies += others
        for (number, body) in bodies.enumerated() {
            rig.apply(
                phone, UInt32(number) + 10,
                ["type": "bridge", "handler": "srBridge", "body": body])
        }
        rig.settle()
        return try PrometheusText(String(decoding: rig.system.metrics.page(), as: UTF8.self))
    }

    private func series(_ name: String) -> String {
        #"coordd_tracking_events_total{name="\#(name)"}"#
    }

    private func count(_ page: PrometheusText) -> Int {
        page.series.count { $0.hasPrefix("coordd_tracking_events_total") }
    }

    @Test func `each name has a count of its own`() throws {
        let page = try track(["click", "view", "click"])
        #expect(page.values[series("click")] == 2)
        #expect(page.values[series("view")] == 1)
        #expect(page.values[series("other")] == 0)
        #expect(count(page) == 3)
    }

    @Test func `fifty names are told apart and all further ones are others`() throws {
        let names = (1...60).map { "name-\($0)" }
        let page = try track(names + ["name-50", "name-51"])
        #expect(count(page) == 51)
        #expect(page.values[series("name-1")] == 1)
        #expect(page.values[series("name-50")] == 2)
        #expect(page.values[series("name-51")] == nil)
        #expect(page.values[series("other")] == 11)
    }

    @Test func `a name cannot spoil the page`() throws {
        let long = String(repeating: "x", count: 63)
        let page = try track([
            #"a"b\c"#, "two\nlines", "nul\u{0}", "", "other", long + "é", long + "ü", long + "yz",
        ])
        #expect(page.values[series(#"a\"b\\c"#)] == 1)
        #expect(page.values[series("two\u{FFFD}lines")] == 1)
        #expect(page.values[series("nul\u{FFFD}")] == 1)
        // No name at all, and the name that stands for all others.
        #expect(page.values[series("other")] == 2)
        // 64 bytes, and no half of a letter.
        #expect(page.values[series(long)] == 2)
        #expect(page.values[series(long + "y")] == 1)
        #expect(count(page) == 6)
    }

    @Test func `what nobody handles is one count`() throws {
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        let events: [JSON] = [
            ["type": "bridge", "handler": "nobody", "body": 1],
            ["type": "bridge", "handler": "bambuserEventHandler", "body": ["eventName": "x"]],
            ["type": "bridge", "handler": "bambuserEventHandler", "body": ["eventName": "y"]],
            // Malformed, which is something else, and handled.
            ["type": "bridge", "handler": "bambuserEventHandler", "body": 1],
            ["type": "device.keyboard", "height": 0],
        ]
        for (number, event) in events.enumerated() {
            rig.apply(phone, UInt32(number) + 10, event)
        }
        // Refused, since a mirror has no page.
        rig.apply(mirror, 20, events[0])
        rig.settle()
        let page = try PrometheusText(String(decoding: rig.system.metrics.page(), as: UTF8.self))
        #expect(page.values["coordd_bridge_unhandled_total"] == 3)
        #expect(count(page) == 1)
    }
}

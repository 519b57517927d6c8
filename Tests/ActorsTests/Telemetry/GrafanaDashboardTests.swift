import Actors
import Coordinator
import TestSupport
import Testing

/// `Config/grafana-dashboard.json` asks for what `/metrics` has.
@Suite(.timeLimit(.minutes(5)))
struct GrafanaDashboardTests {
    /// One selector of a query: a metric, and the labels with the values that it must have.
    private struct Selector: Hashable {
        var name: String
        var labels: [String]
    }

    private static func dashboard() throws -> JSON {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(4)
        let path = parts.joined(separator: "/") + "/Config/grafana-dashboard.json"
        let bytes = try FileText.read(path, limit: 1 << 20)
        return try JSONParser.parse(bytes.span).root
    }

    /// Everything that a value holds under a member of this name.
    private static func texts(_ member: String, in value: JSON) -> [String] {
        if let items = value.array { return items.flatMap { texts(member, in: $0) } }
        guard let object = value.object else { return [] }
        return object.members.flatMap { entry in
            let text = entry.key == member ? entry.value.string : nil
            return text.map { [$0] } ?? texts(member, in: entry.value)
        }
    }

    private static func selectors(in query: String) -> [Selector] {
        var found: [Selector] = []
        var rest = Substring(query)
        while let range = rest.firstRange(of: "coordd_") {
            rest = rest[range.lowerBound...]
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(name.count)
            var labels: [String] = []
            if rest.first == "{" {
                let inside = rest.dropFirst().prefix { $0 != "}" }
                labels = inside.split(separator: ",").map(String.init)
                // The scraper adds the instance, and the user chooses it.
                labels.removeAll { $0.hasPrefix("instance=~") }
            }
            found.append(Selector(name: String(name), labels: labels))
        }
        return found
    }

    /// The page of a server that somebody talked to.
    private func page() async throws -> PrometheusText {
        let body = try await withServer { server in
            let client = try RawClient(port: server.port, device: "phone")
            try client.subscribe("a")
            return try RawClient(port: server.port).get("/metrics").body
        }
        return try PrometheusText(body)
    }

    private func finds(_ selector: Selector, in page: PrometheusText) -> Bool {
        // What pages track is there once a page has tracked something.
        if selector.name == "coordd_tracking_events_total" { return selector.labels.isEmpty }
        return page.series.contains { id in
            id.prefix { $0 != "{" } == selector.name
                && selector.labels.allSatisfy { id.contains($0) }
        }
    }

    @Test func `every query names a metric and labels that the page has`() async throws {
        let dashboard = try Self.dashboard()
        let queries = Self.texts("expr", in: dashboard) + Self.texts("query", in: dashboard)
        let selectors = Set(queries.flatMap(Self.selectors))
        #expect(selectors.count > 30)
        let page = try await page()
        let missing = selectors.filter { !finds($0, in: page) }
        #expect(missing.isEmpty)
    }

    @Test func `every family of the page has a place on the dashboard`() async throws {
        let queries = Self.texts("expr", in: try Self.dashboard())
        let names = Set(queries.flatMap(Self.selectors).map(\.name))
        let families = try await page().types.keys
        let missing = families.filter { !names.contains($0) && !names.contains($0 + "_bucket") }
        #expect(missing.isEmpty)
    }

    @Test func `panels have ids and places of their own`() throws {
        let panels = try Self.dashboard()["panels"]?.array ?? []
        let ids = panels.compactMap { $0.unsigned("id") }
        #expect(Set(ids).count == panels.count)
        var taken: Set<[UInt64]> = []
        for panel in panels {
            let place = panel.at("gridPos")
            let (x, y) = (place?.unsigned("x") ?? 0, place?.unsigned("y") ?? 0)
            let (w, h) = (place?.unsigned("w") ?? 0, place?.unsigned("h") ?? 0)
            #expect(w > 0 && h > 0 && x + w <= 24)
            for column in x..<(x + w) {
                for row in y..<(y + h) {
                    #expect(taken.insert([column, row]).inserted, "column \(column), row \(row)")
                }
            }
        }
    }
}

import Actors
import TestSupport
import Testing

/// The operator's page and the metrics must not drift apart.
@Suite struct OperationsDocumentTests {
    /// The words of a text that begin like a metric.
    private func names(_ text: String) -> Set<String> {
        var names: Set<String> = []
        for word in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0 == "_")) })
        where word.hasPrefix("coordd_") {
            names.insert(String(word))
        }
        return names
    }

    @Test func `every metric is in the table, and nothing else`() throws {
        let text = try ProjectFile("Docs/Operations.md").text()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "## Metrics"))
        let end = try #require(lines.firstIndex(of: "## What to be woken up for"))
        let page = String(decoding: Metrics(on: ManualEventLoop()).page(), as: UTF8.self)
        let families = page.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
            .map { String($0.split(separator: " ")[2]) }
        #expect(names(lines[start..<end].joined(separator: "\n")) == Set(families))
        // Parts of histograms are named with their endings.
        for name in names(lines[end...].joined(separator: "\n")) {
            let family = name.hasSuffix("_bucket") ? String(name.dropLast(7)) : name
            #expect(families.contains(family), "\(name)")
        }
    }
}

import Coordinator
import Foundation
import Testing

/// The page about vendors must not drift from the sources.
@Suite struct VendorsDocumentTests {
    private func document() throws -> [Substring] {
        try RepositoryFile("Docs/Vendors.md").text()
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The row that the table has for a vendor.
    private func row(_ traits: VendorTraits) -> String {
        func yes(_ isTrue: Bool) -> String { isTrue ? "yes" : "no" }
        let handlers = traits.handlers.sorted().map { "`\($0)`" }.joined(separator: ", ")
        return [
            "`\(traits.vendor.rawValue)`", handlers, yes(traits.webView.pictureInPicture),
            yes(traits.webView.elementFullscreen), yes(traits.webView.scrolling),
            "\(traits.autoRotates)", "\(traits.closesOnPipClose)",
            traits.isReadyWhenFinished ? "when loaded" : "says so",
        ].reduce("|") { "\($0) \($1) |" }
    }

    @Test func `the table has each vendor's traits`() throws {
        let lines = try document()
        let start = try #require(lines.firstIndex { $0.hasPrefix("| vendor |") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        let table = VendorTable.standard
        let traits = table.names.compactMap { table.bridge(of: Vendor(rawValue: $0))?.traits }
        #expect(Set(rows.map(String.init)) == Set(traits.map(row)))
        #expect(rows.count == traits.count)
        #expect(traits.allSatisfy { $0.webView.inlineMedia })
    }

    @Test func `the code is that of the made-up vendor's test`() throws {
        let lines = try document()
        let start = try #require(lines.firstIndex(of: "```swift"))
        let code = lines[(start + 1)...].prefix { $0 != "```" }.joined(separator: "\n")
        let tests = try RepositoryFile("Tests/CoordinatorTests/Domain/SixthVendorTests.swift")
            .text()
        let first = try #require(tests.range(of: "\nextension Vendor"))
        let last = try #require(tests.range(of: "\n\n/// A vendor more is one file"))
        #expect(code == tests[tests.index(after: first.lowerBound)..<last.lowerBound])
    }
}

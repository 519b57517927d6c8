import Coordinator
import Testing

extension ScriptExecutionTests {
    /// The addresses of pages, as a browser takes them apart (contract: domain, section 5).
    @Suite struct Addresses {
        private static let texts =
            ScriptExecutionTests.hostile.filter { !$0.isEmpty } + [
                "a/../b", "../", "%2e%2e", "..%2f", "?x=1", "#x", "&a=b;c", "+ +", "%", "%zz", ":@",
                "\t", "a.b-c_d~e", "\u{E9}\u{20AC}",
            ]

        /// Loads a content and gives its page's address, or base URL, as a browser reads it.
        private func address(
            _ vendor: String, _ content: JSON, of member: String = "url"
        ) async throws -> JSON {
            var session = try TestSession.staged()
            let event: JSON = [
                "type": "player.load", "vendor": .string(vendor), "content": content,
            ]
            let outcome = try session.send(JSONWriter.text(of: event))
            let text = try #require(outcome.effects.first?.json[member])
            let answer = try await ScriptEngine.shared.play(["steps": [["url", text]]])
            return try #require(answer["results"]?.array?[0])
        }

        @Test(arguments: texts)
        func `any broadcast and token of Sauceflex are one segment and one parameter`(
            text: String
        ) async throws {
            let given = JSON.string(text)
            let bare = try await address("sauceflex", ["liveId": given])
            #expect(
                bare == [
                    "origin": "https://player.sauceflex.com", "path": ["broadcast", given],
                    "query": [], "fragment": "",
                ])
            let full = try await address("sauceflex", ["liveId": given, "accessToken": given])
            #expect(
                full == [
                    "origin": "https://player.sauceflex.com", "path": ["broadcast", given],
                    "query": [["accessToken", given]], "fragment": "",
                ])
        }

        @Test(arguments: texts)
        func `any show of LiSA is one segment`(text: String) async throws {
            let found = try await address("lisa", ["clientId": "My-1", "showId": .string(text)])
            #expect(
                found == [
                    "origin": "https://my-1.loveslisa.tech", "path": ["s", .string(text)],
                    "query": [], "fragment": "",
                ])
        }

        @Test(arguments: texts)
        func `any show of Bambuser is one parameter more`(text: String) async throws {
            let found = try await address(
                "bambuser",
                [
                    "pageURL": "https://shop.example/a%20b?x=1&y#z", "showId": .string(text),
                    "mockLive": true,
                ])
            #expect(
                found == [
                    "origin": "https://shop.example", "path": ["a b"],
                    "query": [
                        ["x", "1"], ["y", ""], ["showId", .string(text)],
                        ["mockLiveBambuser", "true"],
                    ],
                    "fragment": "#z",
                ])
        }

        @Test(arguments: texts)
        func `any fixture and stream of Genius Sports are one parameter each`(
            text: String
        ) async throws {
            var session = try TestSession.staged()
            let load: JSON = [
                "type": "player.load", "vendor": "genius",
                "content": ["cgFixtureId": .string(text), "showPlayerTracking": true],
            ]
            try session.send(JSONWriter.text(of: load))
            let sources: JSON = [
                "type": "player.sources", "sources": [["id": .string(text), "name": "n"]],
            ]
            try session.send(JSONWriter.text(of: sources))
            let choice: JSON = ["type": "player.source", "id": .string(text)]
            let outcome = try session.send(JSONWriter.text(of: choice))
            let base = try #require(outcome.effects.last { $0.order.kind == "loadPage" }?.json)
            let answer = try await ScriptEngine.shared.play([
                "steps": [["url", try #require(base["baseURL"])]]
            ])
            #expect(
                answer["results"]?.array?[0]["query"] == [
                    ["fixtureImmersive", .string(text)], ["liveStreamId", .string(text)],
                    ["showPlayerTrackingGuides", "true"],
                ])
        }
    }
}

import Coordinator
import Testing

extension ScriptExecutionTests {
    /// What Sportradar's page is told while it runs (contract: domain, section 5.4).
    @Suite struct Sportradar {
        /// A session whose page has loaded.
        private func ready() throws -> TestSession {
            var session = try TestSession.staged()
            try session.send(
                #"{"type":"player.load","vendor":"sportradar","#
                    + #""content":{"clientId":"c","widget":"w"}}"#)
            try session.send(#"{"type":"device.navigation","phase":"finished"}"#)
            return session
        }

        private func script(for event: JSON) throws -> JSON {
            var session = try ready()
            let outcome = try session.send(JSONWriter.text(of: event))
            return .string(try ScriptExecutionTests.script(of: outcome))
        }

        @Test(arguments: ["dark"] + ScriptExecutionTests.hostile)
        func `theme, language and selector reach the widgets as they are`(
            text: String
        ) async throws {
            let given = JSON.string(text)
            let props: JSON = ["value": given, "list": [given, .null, 0]]
            let scripts = [
                try script(for: ["type": "theme.set", "theme": given]),
                try script(for: ["type": "locale.set", "locale": given]),
                try script(
                    for: ["type": "widget.update", "selector": given, "props": props]),
            ]
            let steps = JSON.array((scripts + scripts).map { ["run", $0] })
            let answer = try await ScriptEngine.shared.play(["stubs": ["SIR"], "steps": steps])
            #expect(answer["results"] == [true, true, true, true, true, true])
            let calls: [JSON] = [
                ["SIR", "setClientTheme", given], ["SIR", "changeLanguage", given],
                ["SIR", "updateWidget", given, props],
            ]
            #expect(answer["calls"] == .array(calls + calls))
            // The vendor's loader is not there yet, and is not waited for.
            let missing = try await ScriptEngine.shared.play(["steps": steps])
            #expect(missing["results"] == [false, false, false, false, false, false])
            #expect(missing["calls"] == [])
        }

        @Test func `any properties reach the usual widget as they are`() async throws {
            let props = JSON.object(ScriptExecutionTests.hostileObject)
            let script = try script(for: ["type": "widget.update", "props": props])
            let answer = try await ScriptEngine.shared.play([
                "stubs": ["SIR"], "steps": [["run", script]],
            ])
            #expect(answer["results"] == [true])
            #expect(answer["calls"] == [["SIR", "updateWidget", "#sr-widget", props]])
        }

        // MARK: - The height

        /// The script that comes with the page.
        private func observer() throws -> JSON {
            var session = try TestSession.staged()
            let outcome = try session.send(
                #"{"type":"player.load","vendor":"sportradar","#
                    + #""content":{"clientId":"c","widget":"w"}}"#)
            let scripts = try #require(outcome.effects.first?.json["userScripts"]?.array)
            #expect(scripts.count == 1)
            #expect(scripts[0]["injectionTime"] == "documentEnd")
            return try #require(scripts[0]["source"])
        }

        private static let root = "[data-sr-height-root]"

        private static func page(_ height: JSON, _ steps: [JSON], stubs: JSON) -> JSON {
            [
                "elements": [
                    ["matches": ["body"], "height": 900],
                    ["matches": [.string(root)], "height": height],
                ],
                "stubs": stubs, "handlers": ["srBridge"], "steps": .array(steps),
            ]
        }

        private static func resize(_ height: JSON) -> JSON {
            ["resize", [.string(root), height]]
        }

        private static func post(_ height: JSON) -> JSON {
            ["post", "srBridge", ["type": "height", "height": height]]
        }

        @Test func `each new height is told once, however often the script runs`() async throws {
            let script = try observer()
            let answer = try await ScriptEngine.shared.play(
                Self.page(
                    0,
                    [
                        ["run", script], Self.resize(0), Self.resize(120), Self.resize(120),
                        ["run", script], Self.resize(119.2), Self.resize(300.5),
                        Self.resize(300.5), Self.resize(0), Self.resize(301), Self.resize(120),
                    ], stubs: ["resizeObserver"]))
            // 119.2 is still 120 points, 300.5 is 301; a height of 0 is none.
            #expect(answer["calls"] == [Self.post(120), Self.post(301), Self.post(120)])
        }

        @Test func `a height that is there already is told at once`() async throws {
            let script = try observer()
            for stubs: JSON in [[], ["resizeObserver"]] {
                let answer = try await ScriptEngine.shared.play(
                    Self.page(42, [["run", script], ["run", script]], stubs: stubs))
                #expect(answer["calls"] == [Self.post(42)])
            }
        }

        @Test func `without an observer the page is looked at when it says so`() async throws {
            let answer = try await ScriptEngine.shared.play(
                Self.page(
                    0,
                    [
                        ["run", try observer()], Self.resize(50), ["fire", ["load"]],
                        ["fire", ["resize"]], Self.resize(60), ["fire", ["resize"]],
                    ], stubs: []))
            let posts = answer["calls"]?.array?.filter { $0.array?.first == "post" }
            #expect(posts == [Self.post(50), Self.post(60)])
        }

        @Test func `the whole page counts where nothing is marked`() async throws {
            let script = try observer()
            let answer = try await ScriptEngine.shared.play([
                "elements": [["matches": ["body"], "height": 900]], "stubs": ["resizeObserver"],
                "handlers": ["srBridge"], "steps": [["run", script], ["resize", ["body", 700]]],
            ])
            #expect(answer["calls"] == [Self.post(900), Self.post(700)])
        }

        @Test func `without an app around the page nothing is told`() async throws {
            let script = try observer()
            let answer = try await ScriptEngine.shared.play([
                "elements": [["matches": [.string(Self.root)], "height": 10]],
                "stubs": ["resizeObserver"], "steps": [["run", script], Self.resize(20)],
            ])
            #expect(answer["calls"] == [])
            #expect(answer["results"]?.array?.compactMap { $0["error"] } == [])
        }
    }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A JSON number.
    package init(floatLiteral value: Double) {
        self = .number(JSONNumber(text: "\(value)"))
    }
}

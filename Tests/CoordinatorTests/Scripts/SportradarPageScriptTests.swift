import Coordinator
import Testing

extension ScriptExecutionTests {
    /// The page around a Sportradar widget, as the shipped template makes it.
    @Suite struct SportradarPage {
        private static let template = try? RepositoryFile("Config/sportradar.html").text()

        /// Loads the page for a content, and gives what came of it.
        private func load(
            _ content: JSON, stubs: JSON = [], then steps: [JSON] = []
        ) async throws -> JSON {
            var policy = Policy()
            policy.sportradar.template = try PageTemplate(try #require(Self.template))
            var session = try TestSession.staged(policy: policy)
            let event: JSON = ["type": "player.load", "vendor": "sportradar", "content": content]
            let outcome = try session.send(JSONWriter.text(of: event))
            let page = try #require(outcome.effects.first?.json)
            let scripts = page["userScripts"]?.array?.compactMap { $0["source"] } ?? []
            let loading: [JSON] = [["load", try #require(page["html"])]]
            return try await ScriptEngine.shared.play([
                "handlers": ["srBridge"], "stubs": stubs,
                "steps": .array(
                    loading + [["read", "sportradarConfiguration"]]
                        + scripts.map { ["run", $0] } + steps),
            ])
        }

        @Test func `the page asks for the loader, and queues its widget until that is there`()
            async throws
        {
            let queue = #"SIR.q.map(function(call){return Array.from(call)})"#
            let answer = try await load(
                ["clientId": "a b", "widget": "match.lmtPlus", "props": ["matchId": 7]],
                then: [["run", .string(queue)]])
            let append = try #require(answer["calls"]?.array?.first?.array)
            #expect(append.prefix(2) == ["append", "script"])
            #expect(append[2]["src"] == "https://widgets.sir.sportradar.com/a%20b/widgetloader")
            #expect(append[2]["n"] == "SIR")
            #expect(
                answer["results"]?.array?.last
                    == [["addWidget", "#sr-widget", "match.lmtPlus", ["matchId": 7]]])
        }

        @Test(arguments: ScriptExecutionTests.hostile.filter { !$0.isEmpty })
        func `any content arrives in the page as it is`(text: String) async throws {
            let plain = try await load(["clientId": "c", "widget": "w"])
            let given = JSON.string(text)
            let configuration: JSON = [
                "clientId": given, "widget": given,
                "props": .object(JSONObject([.init(key: text, value: given)])),
            ]
            let answer = try await load(configuration)
            #expect(answer["results"]?.array?[1] == configuration)
            try ScriptExecutionTests.checkSameScripts(answer, plain)
            let source = try #require(answer["calls"]?.array?.first?.array?[2]["src"]?.string)
            let parts = source.split(separator: "/", omittingEmptySubsequences: false)
            #expect(parts.count == 5)
            #expect(try ScriptExecutionTests.decoded(parts[3]).hasSameBytes(as: text))

            let known = try await load(configuration, stubs: ["SIR"])
            #expect(
                known["calls"] == [
                    ["SIR", "addWidget", "#sr-widget", given, configuration["props"] ?? .null]
                ])
        }

        @Test func `all properties at once arrive at the widget as they are`() async throws {
            let props = JSON.object(ScriptExecutionTests.hostileObject)
            let answer = try await load(
                ["clientId": "c", "widget": "w", "props": props], stubs: ["SIR"])
            #expect(answer["results"]?.array?[1]["props"] == props)
            #expect(answer["calls"] == [["SIR", "addWidget", "#sr-widget", "w", props]])
        }

        @Test func `the page relays what the widget says`() async throws {
            let calls = """
                (function(){var props=SIR.q[0][3];\
                props.onTrack("opened",{a:"\\u2028"});props.onTrack("bare");\
                props.onItemClick("match",{id:1});props.onItemClick("team");\
                var round={};round.self=round;props.onItemClick("round",round)})()
                """
            let answer = try await load(
                ["clientId": "c", "widget": "w"], then: [["run", .string(calls)]])
            let posts = answer["calls"]?.array?.compactMap { call in
                call.array?.first == "post" ? call.array?[2] : nil
            }
            #expect(
                posts == [
                    ["type": "onTrack", "eventName": "opened", "eventData": ["a": "\u{2028}"]],
                    ["type": "onTrack", "eventName": "bare"],
                    ["type": "onItemClick", "target": "match", "data": #"{"id":1}"#],
                    ["type": "onItemClick", "target": "team"],
                    ["type": "onItemClick", "target": "round"],
                ])
        }

        @Test func `the height is that of the element the page marks`() async throws {
            let answer = try await load(
                ["clientId": "c", "widget": "w"], stubs: ["SIR", "resizeObserver"],
                then: [["resize", ["#sr-widget", 210.5]], ["resize", ["#sr-widget", 211]]])
            #expect(
                answer["calls"]?.array?.dropFirst() == [
                    ["post", "srBridge", ["type": "height", "height": 211]]
                ])
        }

        @Test func `a page of the content's own is loaded as it is`() async throws {
            let html =
                "<!doctype html><body><div data-sr-height-root></div><script>\n"
                + "window.sportradarConfiguration=\"\u{2028}</scr\"+\"ipt><!--\"</script>"
            let answer = try await load(["html": .string(html)], stubs: ["resizeObserver"])
            #expect(answer["results"]?.array?[1] == "\u{2028}</script><!--")
            #expect(answer["results"]?.array?[0]["tags"] == ["body", "div", "script"])
        }
    }
}

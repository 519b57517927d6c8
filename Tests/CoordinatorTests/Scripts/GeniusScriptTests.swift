import Coordinator
import Testing

extension ScriptExecutionTests {
    /// Genius Sports (contract: domain, section 5.1).
    @Suite struct Genius {
        private static let template: String? = try? RepositoryFile("Config/genius.html").text()

        private func script(fullscreen on: Bool, policy: Policy = Policy()) throws -> String {
            var session = try TestSession.ready(policy: policy)
            let outcome = try session.send(#"{"type":"fullscreen.set","on":true}"#)
            return try ScriptExecutionTests.script(
                of: on ? outcome : session.send(#"{"type":"fullscreen.set","on":false}"#))
        }

        private func closeScript() throws -> String {
            var session = try TestSession.ready()
            return try ScriptExecutionTests.script(of: session.send(#"{"type":"player.close"}"#))
        }

        @Test func `full screen sets and removes the class on all that match`() async throws {
            let on = JSON.string(try script(fullscreen: true))
            let off = JSON.string(try script(fullscreen: false))
            let answer = try await ScriptEngine.shared.play([
                "elements": [
                    ["matches": [".video-container"], "classes": ["a"]],
                    ["matches": [".container-video"]], ["matches": [".other"]],
                ],
                "steps": [["run", on], ["run", on]],
            ])
            #expect(answer["results"] == [true, true])
            #expect(answer["elements"] == [["a", "full-screen"], ["full-screen"], []])
            let back = try await ScriptEngine.shared.play([
                "elements": [
                    ["matches": [".video-container"], "classes": ["full-screen", "a"]],
                    ["matches": [".container-video"]],
                ],
                "steps": [["run", off], ["run", off], ["run", on], ["run", off]],
            ])
            #expect(back["results"] == [true, true, true, true])
            #expect(back["elements"] == [["a"], []])
        }

        @Test(arguments: [true, false])
        func `full screen says when nothing matches`(on: Bool) async throws {
            let script = JSON.string(try script(fullscreen: on))
            let answer = try await ScriptEngine.shared.play([
                "elements": [["matches": [".other"], "classes": ["full-screen"]]],
                "steps": [["run", script], ["run", script]],
            ])
            #expect(answer["results"] == [false, false])
            #expect(answer["elements"] == [["full-screen"]])
        }

        @Test(arguments: ScriptExecutionTests.hostile)
        func `any selector reaches the page as it is`(selector: String) async throws {
            var policy = Policy()
            policy.genius.fullscreenSelector = selector
            let answer = try await ScriptEngine.shared.play([
                "elements": [["matches": [.string(selector)]], ["matches": [".video-container"]]],
                "steps": [["run", .string(try script(fullscreen: true, policy: policy))]],
            ])
            #expect(answer["results"] == [true])
            #expect(answer["elements"] == [["full-screen"], []])
            #expect(answer["calls"] == [])
        }

        @Test func `the player is closed where there is one`() async throws {
            let script = JSON.string(try closeScript())
            let there = try await ScriptEngine.shared.play([
                "stubs": ["genius"], "steps": [["run", script], ["run", script]],
            ])
            #expect(there["results"] == [true, true])
            #expect(there["calls"] == [["close"], ["close"]])
            for stubs: JSON in [[], ["geniusWithoutPlayer"]] {
                let missing = try await ScriptEngine.shared.play([
                    "stubs": stubs, "steps": [["run", script], ["run", script]],
                ])
                #expect(missing["results"] == [false, false])
                #expect(missing["calls"] == [])
            }
        }

        // MARK: - The page

        /// Loads the page for a content, has its loader loaded, and gives what came of it.
        private func load(_ content: JSON, then steps: [JSON] = []) async throws -> JSON {
            var policy = Policy()
            policy.genius.template = try PageTemplate(try #require(Self.template))
            var session = try TestSession.staged(policy: policy)
            let event: JSON = ["type": "player.load", "vendor": "genius", "content": content]
            let outcome = try session.send(JSONWriter.text(of: event))
            let html = try #require(outcome.effects.first?.json["html"])
            let steps: [JSON] =
                [["load", html], ["read", "geniusConfiguration"], ["loaded"]] + steps
            return try await ScriptEngine.shared.play([
                "handlers": ["gsVideoPlayerBridge"], "steps": .array(steps),
            ])
        }

        private static let ready: JSON = ["post", "gsVideoPlayerBridge", ["type": "init"]]

        /// The parameters of the address that the page loads the player from.
        private func loader(_ answer: JSON) throws -> (address: String, query: JSON) {
            let call = try #require(answer["calls"]?.array?.first?.array)
            #expect(call[0] == "append" && call[1] == "script")
            let source = try #require(call[2]["src"]?.string)
            let parts = source.split(separator: "?", maxSplits: 1)
            var query = JSONObject()
            for pair in parts[1].split(separator: "&") {
                let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
                query.append(
                    try ScriptExecutionTests.decoded(sides[0]),
                    .string(try ScriptExecutionTests.decoded(sides[1])))
            }
            return (String(parts[0]), .object(query))
        }

        @Test func `the page starts the player and says when it is there`() async throws {
            let answer = try await load(["fixtureId": "f", "environment": "PROD"])
            let (address, query) = try loader(answer)
            #expect(
                address
                    == "https://genius-live-player-production.betstream.betgenius.com/widgetLoader")
            #expect(
                query == [
                    "fixtureId": "f", "containerId": "geniusLive", "width": "100vw",
                    "height": "100vh", "controlsEnabled": "true", "audioEnabled": "true",
                    "allowFullScreen": "true", "bufferLength": "2", "autoplayEnabled": "true",
                ])
            #expect(answer["calls"]?.array?.dropFirst() == [Self.ready])
        }

        @Test func `the page relays what the player says, and only that`() async throws {
            let answer = try await load(
                [:],
                then: [
                    [
                        "fire",
                        [
                            "geniussportsmessagebus",
                            ["type": "multibet-event", "body": ["command": "openBetslip"]],
                        ],
                    ],
                    ["fire", ["geniussportsmessagebus", ["type": "toggleFullscreen"]]],
                    ["fire", ["geniussportsmessagebus", ["type": "other", "body": 1]]],
                    ["fire", ["geniussportsmessagebus"]],
                ])
            let posted = answer["calls"]?.array?.filter { $0.array?.first == "post" }
            #expect(
                posted == [
                    Self.ready,
                    [
                        "post", "gsVideoPlayerBridge",
                        ["type": "multibet-event", "payload": ["command": "openBetslip"]],
                    ],
                    ["post", "gsVideoPlayerBridge", ["type": "toggleFullscreen"]],
                ])
        }

        /// The contract's load content, bar what is not handed on as it is.
        private static let texts = [
            "customerId", "fixtureId", "playerWidth", "playerHeight", "controlsEnabled",
            "audioEnabled", "allowFullScreen", "bufferLength", "autoplayEnabled", "cgFixtureId",
            "apiKey", "user", "password", "culture", "triggerOnboarding", "deviceId",
            "showPlayerTracking",
        ]

        @Test(arguments: ScriptExecutionTests.hostile)
        func `any content arrives in the page as it is`(text: String) async throws {
            let plain = try await load([:])
            var content = JSONObject(Self.texts.map { .init(key: $0, value: .string(text)) })
            let answer = try await load(.object(content))
            content.append("environment", "UAT")
            #expect(answer["results"]?.array?[1] == .object(content))
            try ScriptExecutionTests.checkSameScripts(answer, plain)
            let query = try loader(answer).query
            for (name, key) in [
                ("customerId", "customerId"), ("width", "playerWidth"), ("deviceId", "deviceId"),
            ] {
                #expect(query[name] == (text.isEmpty ? nil : .string(text)), "\(key)")
            }
            #expect(answer["calls"]?.array?.count == 2)
        }

        @Test func `objects arrive in the page as they are`() async throws {
            let given = JSON.object(ScriptExecutionTests.hostileObject)
            let answer = try await load(["customerId": given])
            #expect(answer["results"]?.array?[1]["customerId"] == given)
            try ScriptExecutionTests.checkSameScripts(answer, try await load([:]))
        }

        @Test func `full screen finds its element in the shipped page`() async throws {
            let answer = try await load(
                [:], then: [["run", .string(try script(fullscreen: true))]])
            #expect(answer["results"]?.array?.last == true)
            let marked = answer["elements"]?.array?.filter {
                $0.array?.contains("full-screen") == true
            }
            #expect(marked == [["video-container", "full-screen"]])
        }
    }
}

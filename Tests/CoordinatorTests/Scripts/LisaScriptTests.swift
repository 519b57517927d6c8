import Coordinator
import Testing

extension ScriptExecutionTests {
    /// LiSA (contract: domain, section 5.3).
    @Suite struct Lisa {
        /// What the page's script leaves on the window when the load has these options.
        private func theme(_ options: JSON) async throws -> JSON? {
            var session = try TestSession.staged()
            let event: JSON = [
                "type": "player.load", "vendor": "lisa",
                "content": ["clientId": "c", "showId": "s"], "options": options,
            ]
            let outcome = try session.send(JSONWriter.text(of: event))
            let scripts = try #require(outcome.effects.first?.json["userScripts"]?.array)
            #expect(scripts.count == 1)
            #expect(scripts[0]["injectionTime"] == "documentEnd")
            #expect(scripts[0]["mainFrameOnly"] == true)
            let script = try #require(scripts[0]["source"]?.string)
            ScriptExecutionTests.checkText(script)
            let answer = try await ScriptEngine.shared.play([
                "steps": [
                    ["run", .string(script)], ["read", "_lscLocalThemeOptions"],
                    ["run", .string(script)], ["read", "_lscLocalThemeOptions"],
                ]
            ])
            let results = try #require(answer["results"]?.array)
            #expect(results[1] == results[3])
            #expect(answer["calls"] == [])
            return results[1]
        }

        @Test func `the page finds the call to action enabled`() async throws {
            #expect(try await theme([:]) == ["playerDismissCtaState": "enabled"])
            let used: JSON = ["autoRotate": true, "closeOnPipClose": false]
            #expect(try await theme(used) == ["playerDismissCtaState": "enabled"])
        }

        @Test func `options extend the theme, and replace what is in it`() async throws {
            #expect(
                try await theme(["playerDismissCtaState": "disabled", "a": [1, "b"]])
                    == ["playerDismissCtaState": "disabled", "a": [1, "b"]])
        }

        @Test(arguments: ScriptExecutionTests.hostile)
        func `any option arrives in the page as it is`(text: String) async throws {
            var options = JSONObject([.init(key: "value", value: .string(text))])
            options[text] = .string(text)
            options["list"] = [.string(text), ["nested": .string(text)]]
            var expected = options
            expected.append("playerDismissCtaState", "enabled")
            #expect(try await theme(.object(options)) == .object(expected))
        }

        @Test func `all options at once arrive in the page as they are`() async throws {
            var expected = ScriptExecutionTests.hostileObject
            expected.append("playerDismissCtaState", "enabled")
            let given = JSON.object(ScriptExecutionTests.hostileObject)
            #expect(try await theme(given) == .object(expected))
        }
    }
}

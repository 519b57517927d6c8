import Coordinator
import Testing

extension ScriptExecutionTests {
    /// Bambuser (contract: domain, section 5.5).
    @Suite struct Bambuser {
        private func script(locale: String) throws -> JSON {
            var session = try TestSession.staged()
            try session.send(
                #"{"type":"player.load","vendor":"bambuser","#
                    + #""content":{"pageURL":"https://shop.example/live"}}"#)
            let event: JSON = ["type": "locale.set", "locale": .string(locale)]
            try session.send(JSONWriter.text(of: event))
            let outcome = try session.send(#"{"type":"device.navigation","phase":"committed"}"#)
            return .string(try ScriptExecutionTests.script(of: outcome))
        }

        @Test(arguments: ["en-GB"] + ScriptExecutionTests.hostile)
        func `the page finds any locale as it is`(locale: String) async throws {
            let script = try script(locale: locale)
            let answer = try await ScriptEngine.shared.play([
                "steps": [
                    ["run", script], ["read", "iosAppConfig"], ["run", script],
                    ["read", "iosAppConfig"],
                ]
            ])
            let expected: JSON = ["locale": .string(locale)]
            #expect(answer["results"] == [true, expected, true, expected])
            #expect(answer["calls"] == [])
        }

        @Test func `a later locale takes the place of an earlier one`() async throws {
            let answer = try await ScriptEngine.shared.play([
                "steps": [
                    ["run", try script(locale: "de")], ["run", try script(locale: "fr-CA")],
                    ["read", "iosAppConfig"],
                ]
            ])
            #expect(answer["results"] == [true, true, ["locale": "fr-CA"]])
        }
    }
}

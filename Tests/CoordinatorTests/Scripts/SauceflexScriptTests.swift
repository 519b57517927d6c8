import Coordinator
import Testing

extension ScriptExecutionTests {
    /// Sauceflex (contract: domain, section 5.2).
    @Suite struct Sauceflex {
        /// A session whose page says how it is with messages of its own.
        private func ready() throws -> TestSession {
            var session = try TestSession.staged()
            try session.send(
                #"{"type":"player.load","vendor":"sauceflex","content":{"liveId":"1"}}"#)
            try session.send(#"{"type":"bridge","handler":"sauceflexEnter","body":""}"#)
            return session
        }

        private func script(button visible: Bool) throws -> JSON {
            var session = try ready()
            let outcome = try session.send(#"{"type":"pip.button","visible":\#(visible)}"#)
            return .string(try ScriptExecutionTests.script(of: outcome))
        }

        private func script(overlayHidden: Bool) throws -> JSON {
            var session = try ready()
            try session.send(#"{"type":"pip.start"}"#)
            let started = try session.send(#"{"type":"device.pip","phase":"started"}"#)
            if overlayHidden { return .string(try ScriptExecutionTests.script(of: started)) }
            let stopped = try session.send(#"{"type":"device.pip","phase":"stopped"}"#)
            return .string(try ScriptExecutionTests.script(of: stopped))
        }

        @Test(arguments: [true, false])
        func `the button is shown and hidden by the page's own event`(visible: Bool) async throws {
            let script = try script(button: visible)
            let answer = try await ScriptEngine.shared.play([
                "stubs": ["sauceflex"], "steps": [["run", script], ["run", script]],
            ])
            #expect(answer["results"] == [true, true])
            let call: JSON = ["dispatch", "sauceflexPictureInPictureUse", .bool(visible)]
            #expect(answer["calls"] == [call, call])
        }

        @Test(arguments: [(true, "On"), (false, "Off")])
        func `the overlay is hidden and shown by the page's own event`(
            hidden: Bool, name: String
        ) async throws {
            let script = try script(overlayHidden: hidden)
            let answer = try await ScriptEngine.shared.play([
                "stubs": ["sauceflex"], "steps": [["run", script], ["run", script]],
            ])
            #expect(answer["results"] == [true, true])
            let call: JSON = ["dispatch", .string("sauceflexPictureInPicture" + name), .null]
            #expect(answer["calls"] == [call, call])
        }

        @Test func `a page without the player's parts is left alone`() async throws {
            let scripts = [
                try script(button: true), try script(button: false),
                try script(overlayHidden: true), try script(overlayHidden: false),
            ]
            let answer = try await ScriptEngine.shared.play([
                "steps": .array(scripts.map { ["run", $0] })
            ])
            #expect(answer["results"] == [false, false, false, false])
            #expect(answer["calls"] == [])
        }
    }
}

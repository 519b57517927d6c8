import Coordinator
import Testing
import coordd

@Suite struct ExplainerTests {
    /// Properties of a part of the state, which are also the members of its JSON.
    private static func names(_ value: Any) -> [String] {
        Swift.Mirror(reflecting: value).children.compactMap(\.label).map { label in
            // Sections that are shared between copies are named so.
            guard label.hasPrefix("shared") else { return label }
            let rest = label.dropFirst("shared".count)
            return rest.prefix(1).lowercased() + rest.dropFirst()
        }
    }

    /// Every part of the state, from the types that hold it.
    private static var paths: [String] {
        let state = SessionState()
        let sections: [String: Any] = [
            "player": state.player, "presentation": state.presentation,
            "orientation": state.orientation, "pip": state.pip, "betslip": state.betslip,
        ]
        return names(state).flatMap { name in
            sections[name].map { names($0).map { "\(name).\($0)" } } ?? [name]
        }
    }

    /// Types of the session's own events, as the sources of the rules write them.
    private static func systemEvents() throws -> Set<String> {
        var found: Set<String> = []
        for file in ["Stage", "Toast", "Placement", "OrientationVerdict"] {
            let text = try ProjectFile("Sources/Coordinator/Rules/\(file).swift").text()
            for part in text.split(separator: #"""#) {
                let words = part.split(separator: ".")
                guard words.count == 2,
                    ["stage", "toast", "placement", "effect"].contains(words[0]),
                    words[1].allSatisfy({ $0.isLowercase })
                else { continue }
                found.insert(String(part))
            }
        }
        return found
    }

    private static func facts(
        _ type: String, patch: JSON?, by: JSON = ["device": "p", "role": "player"],
        warnings: [JSON] = []
    ) -> ExplainedFacts {
        ExplainedFacts(
            event: ["type": .string(type)], by: by, patch: patch, warnings: warnings)
    }

    @Test func `every part of the state is in the table, and nothing else`() {
        #expect(Set(ExplanationTable.rows.keys) == Set(Self.paths + [""]))
        // The contract's list (domain, section 2) has this many parts.
        #expect(Self.paths.count == 39)
    }

    @Test func `the session's own events are known`() throws {
        // `stage.taken` is also the reason of a refusal.
        #expect(try Self.systemEvents() == Set(ExplanationTable.systemEvents))
    }

    @Test func `whatever event changes whatever part, a rule is named`() {
        let types = EventKind.allCases.map(\.name) + ExplanationTable.systemEvents
        for type in types {
            for path in Self.paths {
                for value in [.null, true, false, "text", ["a": 1]] as [JSON] {
                    let names = path.split(separator: ".").map(String.init)
                    let patch = names.reversed().reduce(value) { inner, name in
                        .object(JSONObject([.init(key: name, value: inner)]))
                    }
                    let row = Explainer.row(for: path, of: Self.facts(type, patch: patch))
                    #expect(row?.rule.isEmpty == false, "\(type) \(path)")
                    let found = Explainer.explanations(of: Self.facts(type, patch: patch))
                    #expect(found.map(\.paths) == [[path]], "\(type) \(path)")
                    #expect(found.allSatisfy { !$0.text.contains("{") || value.object != nil })
                }
            }
            for patch in [nil, [:]] as [JSON?] {
                let found = Explainer.explanations(of: Self.facts(type, patch: patch))
                #expect(found.count == 1)
                #expect(type == "other" || found[0].rule != "event", "\(type)")
            }
        }
    }

    @Test func `an unknown part is told without a rule of its own`() {
        let found = Explainer.explanations(of: Self.facts("x", patch: ["later": ["part": 1]]))
        #expect(found.map(\.text) == ["state: later.part changed"])
    }

    @Test(arguments: [
        (
            #"{"event":{"type":"device.orientation","orientation":"landscapeLeft"},"#
                + #""patch":{"presentation":{"mode":"fullscreen"},"#
                + #""orientation":{"device":"landscapeLeft"}}}"#,
            "rotation: held landscape, sensor armed -> full screen; sensor: held landscapeLeft"
        ),
        (
            #"{"event":{"type":"bridge","body":{"type":"init"}},"#
                + #""patch":{"player":{"phase":"ready"},"keepAwake":true}}"#,
            "ready: the page said init; keep-awake: player ready, stage connected"
        ),
        (
            #"{"event":{"type":"betslip.update","decimalPrice":"1.85"},"patch":{"betslip":"#
                + #"{"selections":[{"decimalPrice":"1.85","previousPrice":"1.80"}]}}}"#,
            "slip: price 1.80 -> 1.85"
        ),
        (
            #"{"event":{"type":"betslip.add","decimalPrice":"3"},"patch":{"betslip":{"selections""#
                + #":[{"decimalPrice":"1.85","previousPrice":"1.80"},{"decimalPrice":"3"}]}}}"#,
            "slip: 2 on it"
        ),
        (
            #"{"event":{"type":"effect.failed"},"patch":{"presentation":{"mode":"inline"},"#
                + #""orientation":{"requested":null,"armed":true}},"#
                + #""warnings":[{"code":"orientation.rejected","message":"x"}]}"#,
            "roll-back: rotation refused twice -> inline, rotation refused twice, "
                + "the sensor is as before"
        ),
        (
            #"{"event":{"type":"effect.failed","failed":[{"seq":3,"kind":"requestOrientation","#
                + #""code":"locked"}]},"patch":{}}"#,
            "rotation: refused, asked once more"
        ),
        (
            #"{"event":{"type":"device.pip","phase":"started"},"#
                + #""patch":{"presentation":{"mode":"pip"},"pip":{"phase":"active"}}}"#,
            "picture-in-picture: the picture is in the small window, started"
        ),
        (
            #"{"event":{"type":"device.keyboard","height":336}}"#,
            "keyboard: 336 points high, passed on"
        ),
        (
            #"{"event":{"type":"stage.taken","device":"b"},"patch":{"stage":{"device":"b"},"#
                + #""keepAwake":false}}"#,
            "take-over: the stage goes to b; keep-awake: off without a stage"
        ),
        (
            #"{"event":{"type":"player.load"},"patch":{"player":{"phase":"loading","page":2}}}"#,
            "loading: a new page, page 2"
        ),
        (
            #"{"event":{"type":"device.navigation","phase":"terminated"},"#
                + #""patch":{"player":{"phase":"loading"}}}"#,
            "loading: the web process died -> the page anew"
        ),
        (
            #"{"event":{"type":"bridge","body":{"type":"news"}},"#
                + #""warnings":[{"code":"bridge.unhandled","message":"x"}]}"#,
            "page: a message that nobody knows, passed on"
        ),
    ])
    func `revisions are told in plain words`(publication: String, text: String) throws {
        let found = Explainer.explanations(of: try JSONParser.parse(text: publication).root)
        #expect(found.map(\.text).joined(separator: "; ") == text)
    }

    @Test func `hostile text cannot steer the terminal, and long text is cut`() {
        let long = String(repeating: "x", count: 500) + "\u{1B}"
        let patch: JSON = ["player": ["theme": .string("\u{1B}[2J")]]
        #expect(
            Explainer.explanations(of: Self.facts("theme.set", patch: patch)).map(\.text)
                == [#"theme: \u{1b}[2J"#])
        let locale: JSON = ["player": ["locale": .string(long)]]
        let found = Explainer.explanations(of: Self.facts("locale.set", patch: locale))
        #expect(found[0].text.count < 70)
    }

    @Test func `words that look like a place to fill in stay as they are`() {
        let patch: JSON = ["player": ["locale": "{held} {"]]
        let found = Explainer.explanations(of: Self.facts("locale.set", patch: patch))
        #expect(found.map(\.text) == ["locale: {held} {"])
    }
}

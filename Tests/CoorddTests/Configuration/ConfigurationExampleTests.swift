import Actors
import Testing
import coordd

@Suite struct ConfigurationExampleTests {
    private let file = ProjectFile("Config/coordd.example.json")

    @Test func `the example file documents every key as the table says`() throws {
        Attachment.record(ConfigurationExample.text, named: "coordd.example.json")
        let example = try file.text()
        #expect(example == ConfigurationExample.text, "run 'make example' and review the change")
    }

    @Test func `the example file is valid and sets every key to its default`() throws {
        let example = try file.text()
        let loaded = try load(example)
        var expected = try load().configuration
        // Beside the configuration file.
        expected.secrets.keyFile = "/etc/coordd.key"
        #expect(loaded.configuration == expected)
        for key in ConfigurationTable.keys {
            let isSet = loaded.origins[key.name] != nil
            #expect(isSet == (key.slot.defaultNote == nil), "\(key.name)")
        }
    }

    @Test func `every key has its meaning, default and range above it`() throws {
        let lines = try file.text().split(separator: "\n").map { $0.drop { $0 == " " } }
        for key in ConfigurationTable.keys {
            let above = try #require(
                lines.firstIndex { $0 == "// \(key.meaning)." }, "\(key.name)")
            let rest = lines[(above + 1)...]
            let entry = try #require(rest.firstIndex { $0.contains("\"\(key.leaf)\": ") })
            let facts = rest[..<entry].joined(separator: "\n")
            #expect(facts.hasPrefix("// Default: "), "\(key.name)")
            #expect(facts.hasSuffix("Allowed: \(key.slot.allowed)."), "\(key.name)")
        }
    }
}

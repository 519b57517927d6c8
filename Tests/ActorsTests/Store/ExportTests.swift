import Actors
import Coordinator
import Security
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExportTests {
    private static let key = (try? SealingKey(bytes: Array(repeating: 7, count: 32)))

    private final class Lines {
        var bytes: [UInt8] = []
    }

    private func key() throws -> SealingKey { try #require(Self.key) }

    /// An export of new sessions with these ids.
    private func export(_ names: [String]) throws -> [UInt8] {
        let lines = Lines()
        var writer = try ExportWriter(
            key: key(), program: "coordd test", at: Instant(milliseconds: 1_767_225_600_123)
        ) { lines.bytes += $0 }
        for name in names {
            var requests = RequestMemory(idsPerDevice: 256, maximumDevices: 64)
            requests.remember(JSONObject(), for: .init(device: "tablet", id: "once"))
            try writer.add(
                SessionDocument(
                    id: try StoreRig.id(name),
                    stored: StoredSession(
                        epoch: "e", revision: 3, viewing: Viewing(), requests: requests,
                        history: History(size: 256, seconds: 600, top: 3)), idleSince: nil))
        }
        try writer.end()
        return lines.bytes
    }

    /// Reads an export to its end; gives the ids.
    private func read(_ bytes: [UInt8], key: SealingKey? = nil) throws -> [String] {
        let folder = try TestFolder()
        try folder.write(bytes, to: "export")
        var reader = ExportReader(
            try ReadableFile(folder.file("export")), key: try key ?? self.key(),
            settings: SessionSettings())
        var names: [String] = []
        while let document = try reader.next() { names.append(document.id.description) }
        #expect(reader.offset == bytes.count)
        return names
    }

    private func fault(_ bytes: [UInt8]) throws -> ExportFault {
        try #require(throws: ExportFault.self) { try read(bytes) }
    }

    /// Checksums worked out with another program from the definition in RFC 3720.
    @Test func `an export of nothing is a heading and a closing line`() throws {
        #expect(
            String(decoding: try export([]), as: UTF8.self) == """
                {"format":"coordd sessions","version":1,"by":"coordd test",\
                "key":"36479b85dcad9178","at":"2026-01-01T00:00:00.123Z","crc":"f020c062"}
                {"sessions":0,"crc":"9830584f"}

                """)
        #expect(try read(try export([])) == [])
    }

    @Test func `sessions come back in order`() throws {
        #expect(try read(try export(["C", "a", "b"])) == ["C", "a", "b"])
    }

    @Test func `cut anywhere it is refused, with the line`() throws {
        let whole = try export(["a", "b"])
        for length in 0..<whole.count {
            let cut = Array(whole.prefix(length))
            let line = cut.count { $0 == UInt8(ascii: "\n") } + 1
            let found = try fault(cut)
            #expect(found.line == line, "\(length): \(found)")
        }
    }

    @Test func `with any byte changed it is refused, with the line`() throws {
        let whole = try export(["a", "b"])
        let seed = UInt64.random(in: 0...UInt64.max)
        print("changed exports, seed \(seed)")
        var random = SplitMix(seed: seed)
        for place in whole.indices {
            var changed = whole
            changed[place] ^= UInt8.random(in: 1...255, using: &random)
            let line = whole[..<place].count { $0 == UInt8(ascii: "\n") } + 1
            let found = try fault(changed)
            #expect(found.line == line, "seed \(seed), byte \(place): \(found)")
        }
    }

    @Test func `lines that are missing, doubled or swapped are refused`() throws {
        let lines = try export(["a", "b", "c"]).split(separator: UInt8(ascii: "\n"))
        func text(_ places: [Int]) -> [UInt8] {
            places.flatMap { Array(lines[$0]) + [UInt8(ascii: "\n")] }
        }
        #expect(try read(text([0, 1, 2, 3, 4])) == ["a", "b", "c"])
        for (places, line) in [
            ([0, 1, 3, 4], 3), ([0, 1, 1, 2, 3, 4], 3), ([0, 2, 1, 3, 4], 2), ([1, 2, 3, 4], 1),
            ([0, 1, 2, 3], 5), ([0, 1, 2, 3, 4, 4], 6), ([0, 0, 1, 2, 3, 4], 2),
        ] {
            #expect(try fault(text(places)).line == line, "\(places)")
        }
    }

    @Test func `another key is refused, naming both`() throws {
        let other = SealingKey.random().key
        let error = try #require(throws: ExportFault.self) {
            try read(try export([]), key: other)
        }
        #expect(
            error.description == "line 1: its secrets are sealed with the key 36479b85dcad9178, "
                + "secrets.keyFile holds \(other.fingerprint)")
    }

    /// Lines with right checksums, whatever they say.
    private func sealed(_ lines: [String]) -> [UInt8] {
        var seal = ExportLine()
        return lines.flatMap { line in
            seal.sealed(Array(line.utf8)) + [UInt8(ascii: "\n")]
        }
    }

    private static let heading =
        #"{"format":"coordd sessions","version":1,"key":"36479b85dcad9178""#

    @Test(arguments: [
        ([#"{"format":"else","version":1"#], "line 1: no export of coordd begins like this"),
        (
            [#"{"format":"coordd sessions","version":2,"key":"x""#],
            "line 1: the format has version 2, this coordd reads 1"
        ),
        (
            [heading, #"{"sessions":1"#],
            "line 2: the closing line counts other sessions than the 0"
        ),
        ([heading, #"{"x":1"#], "line 2: session: missing"),
        ([heading, #"[1"#], "line 2: no JSON at byte 8"),
        ([heading, #"{"a":1,"a":2"#], "line 2: the name stands twice in its object"),
        ([heading, #"{"a":"\ud800""#], "line 2: half a surrogate pair"),
        ([heading, String(repeating: "[", count: 100)], "line 2: no JSON at byte "),
    ])
    func `what is sealed rightly and makes no sense is refused`(
        lines: [String], start: String
    ) throws {
        let found = try fault(sealed(lines))
        #expect(found.description.hasPrefix(start), "\(found)")
    }

    @Test func `random changes under right checksums never do harm`() throws {
        let original = try export(["a"]).split(separator: UInt8(ascii: "\n"))[1]
        // Without its checksum.
        let line = Array(original.dropLast(18))
        let seed = UInt64.random(in: 0...UInt64.max)
        print("hostile exports, seed \(seed)")
        var random = SplitMix(seed: seed)
        let pieces = [
            "null", "-1", "1e999", "{}", "[]", "\"\"", "true", "18446744073709551616", "\u{1}",
            "\\u0000", "{\"a\":", "]", "}", ",", "9223372036854775807",
        ]
        let (folder, key) = (try TestFolder(), try key())
        var accepted = 0
        for trial in 0..<2000 {
            var changed = line
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                let end = min(changed.count, place + Int.random(in: 0...12, using: &random))
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                changed.replaceSubrange(place..<end, with: Array(piece.utf8))
            }
            var seal = ExportLine()
            let bytes = [Array(Self.heading.utf8), changed, Array(#"{"sessions":1"#.utf8)]
                .flatMap { seal.sealed($0) + [UInt8(ascii: "\n")] }
            guard (try? read(bytes)) != nil else { continue }
            accepted += 1
            // Whatever is taken can be written and read again.
            guard accepted <= 20 else { continue }
            let name = "d\(trial)"
            try folder.write(bytes, to: "\(name).jsonl")
            var reader = ExportReader(
                try ReadableFile(folder.file("\(name).jsonl")), key: key,
                settings: SessionSettings())
            let editor = try StoreEditor(
                path: folder.file(name), key: key, settings: SessionSettings(),
                durability: .commit, note: nil, now: Instant(milliseconds: 1))
            try editor.adopt(replacing: false, next: { try reader.next() }) { _ in }
            try editor.close()
            let report = try StoreVerification.run(
                .init(
                    path: folder.file(name), key: key, settings: SessionSettings(), note: nil))
            #expect(report.damage == [], "seed \(seed), trial \(trial)")
        }
        print("hostile exports: \(accepted) of 2000 were taken")
    }
}

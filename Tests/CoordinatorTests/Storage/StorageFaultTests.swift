import Coordinator
import Security
import TestSupport
import Testing

/// Whatever is wrong in a stored document, the fault names the place.
@Suite struct StorageFaultTests {
    /// Values of every kind.
    private static let kinds: [JSON] = [.null, true, -1, "?", [.null], ["?": .null]]

    private func fault(in state: JSON) -> StorageFault? {
        do throws(StorageFault) {
            _ = try SessionState(stored: state)
            return nil
        } catch {
            return error
        }
    }

    private func fault(in memory: JSON, _ vault: Vault) -> StorageFault? {
        do throws(StorageFault) {
            _ = try SessionMemory(stored: memory, vault)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a value of another kind is named in a state`() throws {
        let places = StoredPlaces(document: try JSONParser.parse(text: StoredSamples.state).root)
        let free = ["player", "content"]
        let totals = ["betslip", "totals"]
        for path in places.paths(closed: [free, totals]) {
            for wrong in Self.kinds where wrong.kindName != places.value(at: path)?.kindName {
                let found = fault(in: places.replacing(path) { _ in wrong })
                #expect(found?.path == path, "\(path) \(wrong)")
            }
        }
    }

    @Test func `a value of another kind is named in a memory`() throws {
        let vault = try StoredMirror.vault()
        let open = try JSONParser.parse(text: StoredSamples.openMemory).root
        for document in [open, try StoredSamples.memory().document(vault)] {
            let places = StoredPlaces(document: document)
            for path in places.paths() {
                for wrong in Self.kinds where wrong.kindName != places.value(at: path)?.kindName {
                    let found = fault(in: places.replacing(path) { _ in wrong }, vault)
                    #expect(found?.path == path, "\(path) \(wrong)")
                }
            }
        }
    }

    @Test func `an unknown member is named`() throws {
        let vault = try StoredMirror.vault()
        func extended(_ json: JSON) -> JSON {
            guard var object = json.object else { return json }
            object.append("extra", true)
            return .object(object)
        }
        let state = StoredPlaces(document: try JSONParser.parse(text: StoredSamples.state).root)
        let closed = [["player", "content"], ["betslip", "totals"]]
        for path in [[]] + state.paths(closed: closed)
        where state.value(at: path)?.object != nil && !closed.contains(path) {
            let found = fault(in: state.replacing(path, with: extended))
            #expect(found?.path == path + ["extra"])
        }
        let memory = StoredPlaces(document: try StoredSamples.memory().document(vault))
        for path in [[]] + memory.paths() where memory.value(at: path)?.object != nil {
            let found = fault(in: memory.replacing(path, with: extended), vault)
            #expect(found?.path == path + ["extra"])
        }
    }

    /// The paths of all sealed texts in a memory with every member.
    private static let sealed = [
        ["content"], ["pageDigest"], ["outbox", "effects", "1", "sealed"],
        ["outbox", "effects", "4", "sealed"],
    ]

    @Test(arguments: sealed) func `a changed sealed text is named`(path: [String]) throws {
        let vault = try StoredMirror.vault()
        let places = StoredPlaces(document: try StoredSamples.memory().document(vault))
        let text = try #require(places.value(at: path)?.string)
        let bytes = try #require(Base64.bytes(of: text))
        var changed = ["", "=", text + "=", text + "AAAA", String(text.dropLast(4)), "AAAA"]
        for index in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
            var bytes = bytes
            bytes[index] ^= 1
            changed.append(Base64.text(of: bytes))
        }
        for text in changed {
            let found = fault(in: places.replacing(path) { _ in .string(text) }, vault)
            #expect(found?.path == path)
        }
    }

    @Test(arguments: sealed)
    func `a sealed text of another place is named and told nothing of`(path: [String]) throws {
        let vault = try StoredMirror.vault()
        let places = StoredPlaces(document: try StoredSamples.memory().document(vault))
        // Anything is a digest and any object is content, but no script is a page.
        guard path.count > 1 else { return }
        for other in Self.sealed where other != path {
            let document = places.replacing(path) { _ in places.value(at: other) ?? .null }
            let found = fault(in: document, vault)
            #expect(found == StorageFault("the sealed text holds something else", at: path))
        }
    }

    @Test func `a text sealed for another session or with another key does not open`() throws {
        let document = try StoredSamples.memory().document(try StoredMirror.vault())
        let others = [
            try StoredMirror.vault("s2"),
            Vault(key: try SealingKey(bytes: Array(1...32)), context: "s1"),
        ]
        for vault in others { #expect(fault(in: document, vault)?.path == ["content"]) }
    }

    @Test func `a fault tells no value`() throws {
        let state = StoredPlaces(
            document: try JSONParser.parse(text: StoredSamples.emptyState).root)
        let found = fault(in: state.replacing(["player", "phase"]) { _ in "hunter2" })
        #expect(found.map { "\($0)" } == "player.phase: the word is unknown")
    }
}

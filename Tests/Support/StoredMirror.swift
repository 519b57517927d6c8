package import Coordinator
import Security

/// Follows a session as a store does: folds its patches over stored documents, as bytes.
package struct StoredMirror {
    private let vault: Vault
    private var followed: Viewing
    private var state: JSON
    private var memory: JSON
    /// Everything that would have been written, one text after the other.
    package private(set) var written: [[UInt8]] = []
    /// The bytes of the newest patches of state and memory.
    package private(set) var patchBytes = (state: 0, memory: 0)

    /// The key of all tests: the bytes 0 to 31.
    package static func vault(_ context: String = "s1") throws -> Vault {
        Vault(key: try SealingKey(bytes: Array(0..<32)), context: context)
    }

    /// Follows a session from a point on.
    package init(_ viewing: Viewing = Viewing()) throws {
        vault = try Self.vault()
        followed = viewing
        state = viewing.state.json
        memory = viewing.memory.document(vault)
    }

    /// Folds what changed since the last call.
    package mutating func fold(_ viewing: Viewing) throws {
        let patches = (
            JSONWriter.bytes(of: viewing.state.patch(from: followed.state)),
            JSONWriter.bytes(of: .object(viewing.memory.patch(from: followed.memory, vault)))
        )
        state = MergePatch.apply(try Self.parse(patches.0), to: state)
        memory = MergePatch.apply(try Self.parse(patches.1), to: memory)
        patchBytes = (patches.0.count, patches.1.count)
        written += [patches.0, patches.1]
        followed = viewing
    }

    /// Checks that the folded documents bring back the session, and so do new ones.
    package mutating func check(_ note: String) throws {
        let new = (followed.state.json, followed.memory.document(vault))
        try Self.require(state == new.0, note)
        try Self.require(Self.masked(memory) == Self.masked(new.1), note)
        for (state, memory) in [(state, memory), new] {
            let texts = (JSONWriter.bytes(of: state), JSONWriter.bytes(of: memory))
            written += [texts.0, texts.1]
            let restored = Viewing(
                state: try SessionState(stored: try Self.parse(texts.0)),
                memory: try SessionMemory(stored: try Self.parse(texts.1), vault))
            try Self.require(restored == followed, note)
            // Equal amounts can have other digits; these are the same ones.
            try Self.require(restored.state.json == followed.state.json, note)
            try Self.require(
                restored.memory.placements.map(\.stored)
                    == followed.memory.placements.map(\.stored), note)
        }
    }

    /// The session as it comes back from new documents of it.
    package static func restored(_ viewing: Viewing) throws -> Viewing {
        let vault = try vault()
        let texts = (
            JSONWriter.bytes(of: viewing.state.json),
            JSONWriter.bytes(of: viewing.memory.document(vault))
        )
        return Viewing(
            state: try SessionState(stored: try parse(texts.0)),
            memory: try SessionMemory(stored: try parse(texts.1), vault))
    }

    /// A text that was written, without defects.
    package static func parse(_ bytes: [UInt8]) throws -> JSON {
        let document = try JSONParser.parse(bytes.span, maximumDepth: JSONParser.maximumDepth + 8)
        try Self.require(document.defects.isEmpty, "a text without defects")
        return document.root
    }

    private static func require(_ holds: Bool, _ note: String) throws {
        guard holds else { throw RawClient.Failure.unexpected("not as it was: \(note)") }
    }

    /// The document with a word in place of each sealed text, which is another one each time.
    private static func masked(_ json: JSON) -> JSON {
        guard let object = json.object else { return json }
        return .object(
            JSONObject(
                object.members.map { member in
                    let isSealed = [
                        "content", "pageDigest", "followed", "others", "sealed", "digest",
                    ].contains(member.key)
                    return JSONObject.Member(
                        key: member.key, value: isSealed ? "sealed" : masked(member.value))
                }))
    }
}

import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// Whatever happens to the files: the store opens, and no session is silently older or half there.
@Suite(.timeLimit(.minutes(5)))
struct StoreDamageProperties {
    /// A folder as a crash leaves it, and everything that was acknowledged.
    private struct Original {
        var files: [String: [UInt8]] = [:]
        var note: [UInt8] = []
        var noteName = ""
        var key: SealingKey
        /// The states of each session by revision.
        var states: [String: [UInt64: JSON]] = [:]
        var newest: [String: (epoch: JSON?, revision: UInt64, history: [String])] = [:]
    }

    private static let names = ["a", "b", "c", "d", "e"]

    /// Another one each time, or that of the environment: `COORDD_SEED`.
    private static var seed: UInt64 {
        ProcessFacts.environment["COORDD_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64.max)
    }

    /// A small folder, with something in every table and with a log, or without when closed.
    private static func original(isClosed: Bool = false) throws -> Original {
        let notes = try TestFolder()
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 3, seconds: 60)
        options.note = notes.file("note")
        let rig = try StoreRig(options: options)
        var original = Original(key: rig.key)
        let peer = rig.peer()
        let phone = rig.peer()
        for round in 0..<4 {
            for (place, name) in names.enumerated() where round < 3 || place != 1 {
                let session = try StoreRig.id(name)
                if round == 0 {
                    try rig.subscribe(peer, to: session)
                    try note(rig, session, in: &original)
                }
                for value in 0..<(place + 1) {
                    try rig.apply(
                        [
                            "type": "betslip.update",
                            "stake": .string("\(round * 10 + value + 1).00"),
                        ], to: session, by: phone, device: "phone", id: "\(round)-\(value)")
                    try note(rig, session, in: &original)
                }
            }
        }
        for name in names {
            let session = try StoreRig.id(name)
            let state = try rig.state(of: session)
            original.newest[name] = (
                state.at("epoch"), state.unsigned("rev") ?? 0, try rig.history(of: session)
            )
        }
        rig.rest()
        if isClosed { rig.close() }
        for name in rig.folder.names where !name.hasSuffix("-shm") && !name.hasSuffix(".lock") {
            let bytes = rig.folder.bytes(of: name)
            if !bytes.isEmpty { original.files[name] = bytes }
        }
        original.noteName = try #require(notes.names.first)
        original.note = notes.bytes(of: original.noteName)
        rig.close()
        return original
    }

    private static func note(
        _ rig: StoreRig, _ session: SessionID, in original: inout Original
    ) throws {
        let state = try rig.state(of: session)
        let revision = try #require(state.unsigned("rev"))
        original.states[session.description, default: [:]][revision] = state.at("state")
    }

    /// What became of the sessions, counted.
    private struct Tally: CustomStringConvertible {
        var same = 0
        var renewed = 0
        var setAside = 0
        var absent = 0
        var salvaged = 0

        var description: String {
            "\(same) as before, \(renewed) older or in a new epoch, \(setAside) set aside, "
                + "\(absent) lost; \(salvaged) databases replaced"
        }
    }

    /// Opens a damaged copy, asks for every session and checks what must hold.
    private func check(
        _ original: Original, _ files: [String: [UInt8]], policy: DamagePolicy, _ comment: Comment,
        _ tally: inout Tally
    ) throws {
        let (folder, notes) = (try TestFolder(), try TestFolder())
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        try notes.write(original.note, to: original.noteName)
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 3, seconds: 60)
        options.note = notes.file("note")
        options.damaged = policy
        let isFound = try isDamageFound(folder, original.key, options)
        #expect(Set(folder.names) == Set(files.keys), comment)
        for (name, bytes) in files {
            let isUnchanged = folder.bytes(of: name) == bytes
            #expect(isUnchanged, comment)
        }
        let rig = try StoreRig(folder, key: original.key, options: options)
        defer { rig.close() }
        let isNamed = rig.store.findings.contains(where: \.isDamage)
        if folder.names.contains(where: { $0.contains(".damaged-") }) { tally.salvaged += 1 }
        defer { #expect(isFound || !isNamed && rig.damage.isEmpty, comment) }
        for name in Self.names {
            let session = try StoreRig.id(name)
            let newest = try #require(original.newest[name])
            let heard = try rig.ask(rig.peer(), .state, to: session)
            if let error = heard.error {
                let isSetAside = rig.damage.contains { $0.hasPrefix("\(name): ") }
                if error.code == 503 {
                    #expect(error.message.contains("store.damaged"), comment)
                    #expect(isSetAside, comment)
                    tally.setAside += 1
                } else {
                    // Gone without a trace, or but for its placements: the start or the load said so.
                    #expect(error.code == 102, comment)
                    #expect(isNamed || isSetAside, comment)
                    tally.absent += 1
                }
                continue
            }
            let state = heard.answer?.at("data") ?? .null
            let revision = try #require(state.unsigned("rev"))
            let isAcknowledged = state.at("state") == original.states[name]?[revision]
            #expect(isAcknowledged, comment)
            if state.at("epoch") == newest.epoch {
                #expect(revision == newest.revision, comment)
                let hasHistory = try rig.history(of: session) == newest.history
                #expect(hasHistory, comment)
                tally.same += 1
            } else {
                let isRenewed = rig.damage.contains { $0.hasPrefix("\(name): ") }
                #expect(isNamed || isRenewed, comment)
                tally.renewed += 1
            }
        }
    }

    /// Whether a look through the folder finds something, or cannot even begin.
    private func isDamageFound(
        _ folder: TestFolder, _ key: SealingKey, _ options: StoreRig.Options
    ) throws -> Bool {
        let request = StoreVerification.Request(
            path: DataFolder.database(in: folder.path), key: key, settings: options.settings,
            note: options.note)
        do {
            return try !StoreVerification.run(request).isWhole
        } catch is StoreFault {
            return true
        }
    }

    @Test(arguments: [DamagePolicy.setAside, .newEpoch])
    func `with any bit flipped every session is as it was, or named`(policy: DamagePolicy) throws {
        let originals = [try Self.original(), try Self.original(isClosed: true)]
        let seed = Self.seed
        print("damage by bits, seed \(seed)")
        var random = SplitMix(seed: seed)
        var tally = Tally()
        for trial in 0..<500 {
            let original = originals[trial % 2]
            var files = original.files
            let names = files.keys.sorted()
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            var bytes = files[name] ?? []
            guard !bytes.isEmpty else { continue }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let bit = Int.random(in: 0..<8, using: &random)
            bytes[place] ^= 1 << UInt8(bit)
            files[name] = bytes
            try check(
                original, files, policy: policy,
                "seed \(seed), trial \(trial): bit \(bit) of byte \(place) of \(name)", &tally)
        }
        print("damage by bits, \(policy): \(tally)")
        #expect(tally.same > 0)
    }

    @Test func `with any letter of the tables' texts changed the store opens all the same`() throws
    {
        let original = try Self.original(isClosed: true)
        let name = "sessions.sqlite"
        let bytes = original.files[name] ?? []
        let text = Array("CREATE TABLE meta(".utf8)
        let start = try #require(
            bytes.indices.first { bytes[$0...].starts(with: text) }, "no text of the tables")
        var tally = Tally()
        // All of that table's text, and of the others in the page some.
        for place in bytes[..<4096].indices
        where (start..<start + 110).contains(place) || place > 1500 && place % 13 == 0 {
            var files = original.files
            files[name]?[place] ^= 1
            try check(
                original, files, policy: .setAside, "byte \(place) of the first page", &tally)
        }
        // A comma that becomes a letter makes one column of two.
        for place in bytes[..<4096].indices where bytes[place] == UInt8(ascii: ",") {
            var files = original.files
            files[name]?[place] = UInt8(ascii: "$")
            try check(
                original, files, policy: .newEpoch, "comma \(place) of the first page", &tally)
        }
        print("damage of the tables' texts: \(tally)")
    }

    @Test func `with many bits flipped at once the store opens all the same`() throws {
        let original = try Self.original(isClosed: true)
        let seed = Self.seed
        print("damage by many bits, seed \(seed)")
        var random = SplitMix(seed: seed)
        var tally = Tally()
        for trial in 0..<100 {
            var files = original.files
            for (name, bytes) in original.files {
                var bytes = bytes
                for _ in 0..<Int.random(in: 2...1000, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
                files[name] = bytes
            }
            try check(
                original, files, policy: trial % 2 == 0 ? .setAside : .newEpoch,
                "seed \(seed), trial \(trial)", &tally)
        }
        print("damage by many bits: \(tally)")
    }

    @Test(arguments: ["sessions.sqlite-wal", "sessions.sqlite"], [false, true])
    func `with a file cut at any length every session is as it was, or named`(
        name: String, isClosed: Bool
    ) throws {
        let original = try Self.original(isClosed: isClosed)
        let bytes = original.files[name] ?? []
        var tally = Tally()
        // Every length near the borders of pages and frames, others in steps.
        // An empty file without a log is one that was never used.
        for length in (isClosed ? 1 : 0)...max(1, bytes.count - 1) where bytes.count > 0 {
            guard Self.isCut(at: length, of: name, whole: bytes.count) else { continue }
            var files = original.files
            files[name] = Array(bytes.prefix(length))
            try check(
                original, files, policy: .setAside, "\(name) cut after \(length) bytes", &tally)
        }
        print("\(name), closed \(isClosed), cut: \(tally)")
    }

    private static func isCut(at length: Int, of name: String, whole: Int) -> Bool {
        if length == whole - 1 || length < 34 && length % 3 == 0 { return true }
        guard name.hasSuffix("-wal") else { return length % 997 == 0 || length % 4096 == 0 }
        // A frame is a header of 24 bytes and a page, after a header of 32.
        let (frame, place) = (length - 32).quotientAndRemainder(dividingBy: 4120)
        return place == 0 && frame % 2 == 0 || place == 24 && frame % 4 == 1
            || place == 2000 && frame % 4 == 3
    }
}

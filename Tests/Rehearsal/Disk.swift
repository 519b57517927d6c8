import Actors
import Coordinator
import Security
import TestSupport

/// The disk of the simulated machine: what survives every death, as the bytes that a store keeps.
final class Disk {
    /// What is kept of a session.
    private struct Image {
        let incarnation: Incarnation
        var record: SessionRecord
        /// Numbers of the commits in the record's journal.
        var numbers: [Int64] = []
        /// The newest commit.
        var number: Int64
    }

    /// What the disk does wrong.
    private let lie: Rehearsal.Lie?
    /// Told of what is not as it must be.
    var onProblem: (String) -> Void = { _ in }
    private let settings: SessionSettings
    private let key = SealingKey.random().key
    private var images: [SessionID: Image] = [:]
    /// Placements of deleted sessions.
    private var remains: [SessionID: [UInt8]] = [:]
    private var incarnations: [SessionID: [Incarnation]] = [:]
    private(set) var revisions = 0
    private(set) var snapshots = 0
    private(set) var comparisons = 0
    /// The newest tags, to be looked at by whoever refused an event.
    var onRevision: (Incarnation, UInt64) -> Void = { _, _ in }

    init(settings: SessionSettings, lie: Rehearsal.Lie?) {
        self.settings = settings
        self.lie = lie
    }

    private func demand(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { onProblem(sentence()) }
    }

    private func vault(of session: SessionID) -> Vault {
        Vault(key: key, context: session.description)
    }

    var sessions: [SessionID] { images.keys.sorted { $0.description < $1.description } }

    var count: Int { images.count + remains.count }

    var sessionCount: Int { images.count }

    func holds(_ session: SessionID) -> Bool { images[session] != nil }

    /// The number of a session's newest commit.
    func number(of session: SessionID) -> Int64 { images[session]?.number ?? 0 }

    /// Commits that no snapshot covers.
    func uncovered(_ session: SessionID) -> Int { images[session]?.numbers.count ?? 0 }

    /// The history of the session that is there now.
    func present(_ session: SessionID) -> Incarnation? { images[session]?.incarnation }

    /// The history of an epoch that was durable at some time.
    func incarnation(_ session: SessionID, _ epoch: String) -> Incarnation? {
        incarnations[session]?.last { $0.epoch == epoch }
    }

    func all(_ session: SessionID) -> [Incarnation] { incarnations[session] ?? [] }
}

// MARK: - Writing

extension Disk {
    func apply(_ commit: Commit, to session: SessionID) {
        switch commit.change {
        case .create(let stored): create(session, stored)
        case .update(let update): change(session, update)
        case .delete(let placements): delete(session, placements)
        }
    }

    private func create(_ session: SessionID, _ stored: StoredSession) {
        demand(images[session] == nil, "session \(session) is made although it is there")
        demand(
            incarnation(session, stored.epoch) == nil, "epoch \(stored.epoch) is used once more")
        let incarnation = Incarnation(
            session: session, epoch: stored.epoch, state: stored.viewing.state.json)
        incarnations[session, default: []].append(incarnation)
        if incarnations[session]?.count ?? 0 > 8 { incarnations[session]?.removeFirst() }
        images[session] = Image(
            incarnation: incarnation,
            record: SessionRecord(epoch: stored.epoch, revision: 0, body: []), number: 1)
        remains[session] = nil
        put(stored, of: session, number: 1)
    }

    private func change(_ session: SessionID, _ update: Commit.Update) {
        guard var image = images[session] else {
            return onProblem("session \(session) changes without being there")
        }
        images[session] = nil
        image.number += 1
        image.numbers.append(image.number)
        var entry = JournalEntry(update, vault(of: session))
        if lie == .forgetsAnswers { entry.answer = nil }
        image.record.journal.append(entry)
        images[session] = image
        let incarnation = image.incarnation
        if let key = update.answer?.key,
            let problem = incarnation.remember(key, limit: settings.idempotencyIDs)
        {
            onProblem("session \(session): \(problem)")
        }
        guard let publication = update.publication else {
            return demand(
                update.revision == incarnation.top,
                "a commit without a revision is of \(update.revision), not \(incarnation.top)")
        }
        revisions += 1
        if let problem = incarnation.append(
            publication, revision: update.revision, hasID: update.answer != nil)
        {
            onProblem("session \(session): \(problem)")
        }
        onRevision(incarnation, update.revision)
    }

    private func delete(_ session: SessionID, _ placements: [PlacementRecord]) {
        guard let image = images.removeValue(forKey: session) else {
            return onProblem("session \(session) is deleted without being there")
        }
        image.incarnation.isDeleted = true
        guard !placements.isEmpty else { return }
        remains[session] = JSONWriter.bytes(of: .array(placements.map(\.stored)))
    }

    /// Writes a session as a whole, as of commit `number`.
    func put(_ stored: StoredSession, of session: SessionID, number: Int64) {
        guard var image = images[session] else {
            return onProblem("a snapshot of session \(session), which is not there")
        }
        snapshots += 1
        comparisons += 1
        // What the daemon holds is what the revisions lead to.
        demand(
            image.incarnation.state(at: stored.revision).map { $0 == stored.viewing.state.json }
                ?? true,
            "session \(session): the state of revision \(stored.revision) is another one")
        let snapshot = SessionSnapshot(stored, vault(of: session))
        image.record.revision = snapshot.revision
        image.record.body = snapshot.body
        if snapshot.windowIsWhole {
            image.record.windows = []
        } else {
            image.record.windows.removeAll { $0.last < snapshot.windowStart }
        }
        if !snapshot.window.isEmpty, lie != .losesWindows {
            image.record.windows.removeAll { $0.last == snapshot.revision }
            image.record.windows.append(
                SessionRecord.Window(last: snapshot.revision, text: snapshot.window))
        }
        for device in snapshot.devices {
            image.record.devices.removeAll { $0.name == device.name }
            image.record.devices.append(device)
        }
        image.record.devices.removeAll { $0.stamp < snapshot.firstStamp }
        let covered = image.numbers.prefix { $0 <= number }.count
        image.numbers.removeFirst(covered)
        image.record.journal.removeFirst(covered)
        demand(
            image.record.devices.count <= settings.idempotencyDevices,
            "\(image.record.devices.count) devices are remembered")
        images[session] = image
    }

    /// The daemon is gone; a disk that lies has not kept the newest commit.
    func daemonDied() {
        guard lie == .losesNewest else { return }
        for session in sessions where images[session]?.numbers.isEmpty == false {
            images[session]?.numbers.removeLast()
            images[session]?.record.journal.removeLast()
        }
    }

    /// Deletes a session as its age would.
    func bury(_ session: SessionID) {
        guard case .stored(let stored) = load(session) else { return }
        delete(session, stored.viewing.memory.placements)
    }
}

// MARK: - Reading

extension Disk {
    /// Reads a session from its bytes, and checks that they say what became durable.
    func load(_ session: SessionID) -> LoadedSession {
        guard let image = images[session] else { return .absent(placements: placements(session)) }
        do throws(StorageFault) {
            let stored = try image.record.decode(vault(of: session), settings: settings)
            check(stored, image.incarnation)
            return .stored(stored)
        } catch {
            onProblem("session \(session) cannot be read: \(error)")
            return .damaged("\(error)")
        }
    }

    private func check(_ stored: StoredSession, _ incarnation: Incarnation) {
        let session = incarnation.session
        comparisons += 1
        demand(stored.epoch == incarnation.epoch, "session \(session) has another epoch")
        demand(
            stored.revision == incarnation.top,
            "session \(session) is read at \(stored.revision), durable is \(incarnation.top)")
        demand(
            stored.viewing.state.json == incarnation.state,
            "session \(session): what is read is not the state of \(stored.revision)")
        var offset = stored.history.first
        for publication in stored.history.publications {
            demand(
                publication.offset == offset
                    && incarnation[offset].map { $0.publication == publication } ?? true,
                "session \(session): revision \(offset) is read in other words")
            offset += 1
        }
        demand(
            offset == incarnation.top + 1,
            "session \(session): the replay window ends at \(offset - 1)")
    }

    private func placements(_ session: SessionID) -> [PlacementRecord] {
        guard let bytes = remains[session] else { return [] }
        do {
            let records = try JSONParser.parse(bytes.span).root.array ?? []
            return try records.map { try PlacementRecord(stored: $0) }
        } catch {
            onProblem("the placements of session \(session) cannot be read: \(error)")
            return []
        }
    }
}

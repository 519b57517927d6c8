internal import Coordinator

extension StoreTables {
    /// A session's row, whose checksum is right.
    struct Head {
        var key: Int64
        var epoch: String
        var parts: Int64
        var owner: String
    }

    /// What is known of a session; damage is told as a failure that names it.
    func load(
        _ id: SessionID, _ index: JournalIndex, _ settings: SessionSettings
    ) throws(SQLiteError) -> (LoadedSession, StoreSlot?) {
        do {
            guard let (slot, record) = try record(of: id, index) else {
                return (.absent(placements: try remains(of: id)), nil)
            }
            return (.stored(try record.decode(vault(of: id), settings: settings)), slot)
        } catch let fault as StorageFault {
            return (.damaged("\(fault)"), nil)
        } catch let error as SQLiteError {
            // A page of this session's rows; what fails for all is no matter of one session.
            guard error.isDamage else { throw error }
            hasDamagedPages = true
            return (.damaged("the database: \(error.reason)"), nil)
        } catch {
            return (.damaged("it cannot be read"), nil)
        }
    }

    /// All that is there of a session, not yet understood; nil when there is no such session.
    ///
    /// - Throws: ``StorageFault`` for what is missing or not as it was written, ``SQLiteError``.
    func record(
        of id: SessionID, _ index: JournalIndex
    ) throws -> (slot: StoreSlot, record: SessionRecord)? {
        guard let head = try head(of: id) else { return nil }
        let snapshot = try snapshot(of: head.key)
        var slot = StoreSlot(id: id, key: head.key, number: snapshot.number, isInTables: true)
        var record = SessionRecord(
            epoch: head.epoch, revision: UInt64(bitPattern: snapshot.revision),
            body: snapshot.body)
        record.owner = head.owner
        var parts: Int64 = 0
        record.windows = try windows(of: head.key, &parts)
        record.devices = try devices(of: head.key, &parts)
        guard parts == head.parts else {
            throw StorageFault("rows of windows or requests are missing", at: ["session"])
        }
        guard let run = index[slot.key] else { return (slot, record) }
        guard run.first == slot.number + 1 else {
            throw StorageFault("commit \(slot.number + 1) is missing", at: ["journal"])
        }
        var chain = snapshot.chain
        for (place, seq) in run.seqs.enumerated() {
            record.journal.append(
                try entry(seq, number: run.first + Int64(place), of: slot.key, &chain))
        }
        if let gap = run.gap { throw StorageFault("commit \(gap) is missing", at: ["journal"]) }
        slot.number = run.last
        return (slot, record)
    }

    /// A session's row; nil when there is none.
    ///
    /// - Throws: ``StorageFault`` when it is not as it was written, or can be found in one way only.
    func head(of id: SessionID) throws -> Head? {
        let name = Array(id.description.utf8)
        getSession.bind(1, id.description)
        defer { getSession.reset() }
        guard try getSession.step() else {
            // Never made anew because a tree is damaged.
            guard try key(byHashOf: name) == nil else {
                throw StorageFault("its id cannot be found", at: ["session"])
            }
            return nil
        }
        let head = Head(
            key: getSession.integer(0), epoch: getSession.text(2), parts: getSession.integer(3),
            owner: getSession.text(5))
        let crc = RowChecksum.session(
            key: head.key, id: getSession.bytes(1), epoch: getSession.bytes(2), parts: head.parts,
            owner: getSession.optionalBytes(5))
        guard getSession.bytes(1) == name, getSession.integer(4) == crc, !head.epoch.isEmpty else {
            throw StorageFault("the checksum is wrong", at: ["session"])
        }
        return head
    }

    /// The key of a session, found without the tree of the ids.
    func key(byHashOf name: [UInt8]) throws(SQLiteError) -> Int64? {
        getTwin.bind(1, RowChecksum.hash(ofID: name))
        defer { getTwin.reset() }
        while try getTwin.step() {
            if getTwin.bytes(1) == name { return getTwin.integer(0) }
        }
        return nil
    }

    /// The placements that are remembered of a deleted session.
    func remains(of id: SessionID) throws -> [PlacementRecord] {
        getRemains.bind(1, id.description)
        guard try getRemains.step() else { return [] }
        let (text, crc) = (getRemains.bytes(3), getRemains.integer(2))
        let sum = RowChecksum.remains(
            id: getRemains.bytes(0), deletedAt: getRemains.integer(1), placements: text)
        getRemains.reset()
        guard crc == sum else { throw StorageFault("the checksum is wrong", at: ["remains"]) }
        guard let records = try? JSONParser.parse(text.span).root.array else {
            throw StorageFault("an array is expected", at: ["remains"])
        }
        return try records.map { try PlacementRecord(stored: $0) }
    }

    /// A session's snapshot, whose checksum is right.
    func snapshot(of session: Int64) throws -> SnapshotRow {
        getSnapshot.bind(1, session)
        defer { getSnapshot.reset() }
        guard try getSnapshot.step() else { throw StorageFault("there is no snapshot") }
        let row = SnapshotRow(
            session: session, number: getSnapshot.integer(0), revision: getSnapshot.integer(1),
            chain: getSnapshot.integer(2), through: getSnapshot.integer(3),
            body: getSnapshot.bytes(5))
        guard RowChecksum.snapshot(row) == getSnapshot.integer(4) else {
            throw StorageFault("the checksum is wrong", at: ["snapshot"])
        }
        return row
    }

    /// The texts of a session's replay window; adds to `parts` what they count.
    private func windows(
        of session: Int64, _ parts: inout Int64
    ) throws -> [SessionRecord.Window] {
        var windows: [SessionRecord.Window] = []
        getWindows.bind(1, session)
        defer { getWindows.reset() }
        while try getWindows.step() {
            let (last, crc, lines) = (
                getWindows.integer(0), getWindows.integer(1), getWindows.bytes(2)
            )
            guard RowChecksum.window(session: session, last: last, lines: lines) == crc else {
                throw StorageFault("the checksum is wrong", at: ["window", "\(last)"])
            }
            parts += crc + Self.partWeight
            windows.append(SessionRecord.Window(last: UInt64(bitPattern: last), text: lines))
        }
        return windows
    }

    /// What is remembered of a session's devices; adds to `parts` what they count.
    private func devices(
        of session: Int64, _ parts: inout Int64
    ) throws -> [SessionSnapshot.Device] {
        var devices: [SessionSnapshot.Device] = []
        getRequests.bind(1, session)
        defer { getRequests.reset() }
        while try getRequests.step() {
            let (device, stamp) = (getRequests.bytes(0), getRequests.integer(1))
            let (crc, answers) = (getRequests.integer(2), getRequests.bytes(3))
            let sum = RowChecksum.request(
                session: session, device: device, stamp: stamp, answers: answers)
            guard sum == crc else {
                throw StorageFault("the checksum of a row is wrong", at: ["request", "\(stamp)"])
            }
            parts += crc + Self.partWeight
            devices.append(
                SessionSnapshot.Device(
                    name: String(decoding: device, as: UTF8.self),
                    stamp: UInt64(bitPattern: stamp), body: answers))
        }
        return devices
    }

    /// A commit of a session, which follows `chain`.
    ///
    /// - Throws: ``StorageFault`` when the journal has another one's at this place, or none.
    func entry(
        _ seq: Int64, number: Int64, of session: Int64, _ chain: inout Int64
    ) throws -> JournalEntry {
        getEntry.bind(1, seq)
        defer { getEntry.reset() }
        guard try getEntry.step() else {
            throw StorageFault("commit \(number) is missing", at: ["journal", "\(seq)"])
        }
        let row = JournalRow(
            seq: seq, session: getEntry.integer(0), number: getEntry.integer(1),
            revision: getEntry.integer(2))
        let entry = JournalEntry(
            revision: UInt64(bitPattern: row.revision), publication: getEntry.optionalBytes(5),
            memory: getEntry.optionalBytes(6), answer: getEntry.optionalBytes(7))
        guard row.session == session, row.number == number,
            getEntry.integer(3) == RowChecksum.place(row)
        else {
            throw StorageFault("commit \(number) is missing", at: ["journal", "\(seq)"])
        }
        let next = RowChecksum.chain(
            after: chain, row, publication: entry.publication, memory: entry.memory,
            answer: entry.answer)
        guard getEntry.integer(4) == next else {
            throw StorageFault(
                "the chain is broken at commit \(number)", at: ["journal", "\(seq)"])
        }
        chain = next
        return entry
    }
}

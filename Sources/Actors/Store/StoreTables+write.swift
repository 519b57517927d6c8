internal import Coordinator

extension StoreTables {
    /// Adds a session; false when it is there.
    func add(
        _ slot: StoreSlot, epoch: String, owner: String
    ) throws(SQLiteError) -> Bool {
        addSession.bind(1, slot.key)
        addSession.bind(2, slot.id.description)
        addSession.bind(3, epoch)
        addSession.bind(4, RowChecksum.hash(ofID: Array(slot.id.description.utf8)))
        addSession.bind(5, owner.isEmpty ? nil : Array(owner.utf8))
        try addSession.run()
        return database.changes > 0
    }

    /// Adds a commit after `chain`; gives the chain after it.
    func add(
        _ entry: JournalEntry, seq: Int64, after chain: Int64, _ slot: StoreSlot
    ) throws(SQLiteError) -> Int64 {
        let row = JournalRow(
            seq: seq, session: slot.key, number: slot.number,
            revision: Int64(bitPattern: entry.revision))
        let next = RowChecksum.chain(
            after: chain, row, publication: entry.publication, memory: entry.memory,
            answer: entry.answer)
        bind(row, chain: next)
        addEntry.bind(7, entry.memory)
        addEntry.bind(8, entry.answer)
        try addEntry.run(9, entry.publication)
        return next
    }

    /// Adds a row without a text: of a session's beginning or end, or of nobody.
    func add(_ row: JournalRow) throws(SQLiteError) {
        bind(row, chain: RowChecksum.chainStart(of: row.session))
        addEntry.bind(7, nil as Int64?)
        addEntry.bind(8, nil as Int64?)
        try addEntry.run(9, nil)
    }

    private func bind(_ row: JournalRow, chain: Int64) {
        addEntry.bind(1, row.seq)
        addEntry.bind(2, row.session)
        addEntry.bind(3, row.number)
        addEntry.bind(4, row.revision)
        addEntry.bind(5, RowChecksum.place(row))
        addEntry.bind(6, chain)
    }

    /// The chain after the commit of a session that its snapshot holds as its newest.
    func chain(after number: Int64, of session: Int64) throws(SQLiteError) -> Int64 {
        getChain.bind(1, session)
        defer { getChain.reset() }
        guard try getChain.step(), getChain.integer(0) == number else {
            // A snapshot of durability `memory`, of which the journal has nothing.
            return RowChecksum.chainStart(of: session)
        }
        return getChain.integer(1)
    }

    /// Writes what changed in a session since its snapshot before.
    ///
    /// `chain` is that after its newest commit; it has no other in the journal up to `through`.
    func put(
        _ stored: StoredSession, _ slot: StoreSlot, chain: Int64, through: Int64
    ) throws(SQLiteError) {
        let snapshot = SessionSnapshot(stored, vault(of: slot.id))
        try put(
            SnapshotRow(
                session: slot.key, number: slot.number,
                revision: Int64(bitPattern: snapshot.revision), chain: chain, through: through,
                body: snapshot.body))
        cutWindow.bind(1, slot.key)
        cutWindow.bind(2, snapshot.windowIsWhole ? .max : Int64(snapshot.windowStart))
        try cutWindow.run()
        if !snapshot.window.isEmpty {
            let last = Int64(bitPattern: snapshot.revision)
            addWindow.bind(1, slot.key)
            addWindow.bind(2, last)
            addWindow.bind(
                3,
                RowChecksum.window(session: slot.key, last: last, lines: snapshot.window))
            try addWindow.run(4, snapshot.window)
        }
        for device in snapshot.devices {
            putRequest.bind(1, slot.key)
            putRequest.bind(2, device.name)
            putRequest.bind(3, device.stamp)
            putRequest.bind(
                4,
                RowChecksum.request(
                    session: slot.key, device: Array(device.name.utf8),
                    stamp: Int64(bitPattern: device.stamp), answers: device.body))
            try putRequest.run(5, device.body)
        }
        cutRequests.bind(1, slot.key)
        cutRequests.bind(2, Int64(clamping: snapshot.firstStamp))
        try cutRequests.run()
        try sealParts(
            of: slot.key, id: Array(slot.id.description.utf8), epoch: stored.epoch,
            owner: stored.owner.isEmpty ? nil : Array(stored.owner.utf8))
    }

    private func put(_ row: SnapshotRow) throws(SQLiteError) {
        let numbers = [
            row.session, row.number, row.revision, row.chain, row.through,
            RowChecksum.snapshot(row),
        ]
        for (place, number) in numbers.enumerated() { putSnapshot.bind(Int32(place + 1), number) }
        try putSnapshot.run(7, row.body)
    }

    /// Notes in a session's row which windows and requests it has, and its epoch.
    func sealParts(
        of key: Int64, id: [UInt8], epoch: String, owner: [UInt8]?
    ) throws(SQLiteError) {
        let parts = try parts(of: key)
        setParts.bind(1, key)
        setParts.bind(2, epoch)
        setParts.bind(3, parts)
        setParts.bind(
            4,
            RowChecksum.session(
                key: key, id: id, epoch: Array(epoch.utf8), parts: parts, owner: owner))
        try setParts.run()
    }

    /// Sessions of a run that ended are idle: those that say so nowhere, and those that changed.
    func setIdle(_ changed: some Collection<Int64>, since now: Instant) throws(SQLiteError) {
        for isVacant in [false, true] {
            // The tree of the idle ones begins with those that are not: no others are looked at.
            try database.execute(
                """
                UPDATE session SET idle_since = \(now.milliseconds),
                idle_crc = \(RowChecksum.idleness(now.milliseconds, isVacant: isVacant))
                WHERE vacant = \(isVacant ? 1 : 0) AND idle_since IS NULL
                """)
        }
        // What is in the journal may have made them more than vacant.
        for session in changed { try setIdle(session, since: now, isVacant: false) }
    }

    /// Notes since when a session has no activation, and whether it never held anything.
    func setIdle(_ key: Int64, since: Instant?, isVacant: Bool) throws(SQLiteError) {
        setIdleness.bind(1, key)
        setIdleness.bind(2, since?.milliseconds)
        setIdleness.bind(
            3, since.map { RowChecksum.idleness($0.milliseconds, isVacant: isVacant) })
        setIdleness.bind(4, isVacant ? 1 : 0)
        try setIdleness.run()
    }

    /// Deletes a session; gives how many there were.
    func delete(_ key: Int64) throws(SQLiteError) -> Int {
        for statement in [dropSnapshot, dropWindow, dropRequests, dropSession] {
            statement.bind(1, key)
            try statement.run()
        }
        return Int(database.changes)
    }
}

extension StoreTables {
    /// Remembers the placements of a deleted session; gives whether there were any, as a number.
    func remember(
        _ placements: [PlacementRecord], of id: SessionID, deletedAt now: Instant
    ) throws(SQLiteError) -> Int {
        guard !placements.isEmpty else { return 0 }
        let text = JSONWriter.bytes(of: .array(placements.map(\.stored)))
        putRemains.bind(1, id.description)
        putRemains.bind(2, now.milliseconds)
        putRemains.bind(
            3,
            RowChecksum.remains(
                id: Array(id.description.utf8), deletedAt: now.milliseconds, placements: text))
        try putRemains.run(4, text)
        return 1
    }

    /// Forgets the placements of a deleted session; gives whether there were any, as a number.
    func forgetPlacements(of id: SessionID) throws(SQLiteError) -> Int {
        dropRemains.bind(1, id.description)
        try dropRemains.run()
        return Int(database.changes)
    }

    /// Forgets the placements of the sessions deleted first, before `limit` and at most `count`;
    /// gives the number of sessions.
    func forgetPlacements(deletedBefore limit: Instant, count: Int) throws(SQLiteError) -> Int {
        cutRemains.bind(1, limit.milliseconds)
        cutRemains.bind(2, Int64(count))
        try cutRemains.run()
        return Int(database.changes)
    }
}

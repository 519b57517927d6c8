internal import Coordinator

extension StoreTables {
    /// Keeps rows of a session apart, as far as they can be read, before they are replaced.
    func isolate(
        _ source: String, _ columns: String, where condition: String, id: [UInt8], reason: String,
        at now: Instant
    ) throws(SQLiteError) {
        let copy = try database.prepare(
            """
            INSERT INTO quarantine SELECT ?1, ?2, ?3, '\(source)', \(columns) FROM \(source)
            WHERE \(condition)
            """)
        copy.bind(1, now.milliseconds)
        copy.bind(2, id as [UInt8]?)
        copy.bind(3, reason)
        do throws(SQLiteError) {
            try copy.run()
        } catch {
            // What cannot be read cannot be kept.
            guard error.isDamage else { throw error }
            hasDamagedPages = true
        }
    }

    /// Moves commits out of the journal.
    func isolateEntries(
        _ seqs: ClosedRange<Int64>, reason: String, at now: Instant
    ) throws(SQLiteError) {
        let condition = "seq BETWEEN \(seqs.lowerBound) AND \(seqs.upperBound)"
        try isolate(
            "journal", Self.journalColumns, where: condition, id: [], reason: reason, at: now)
        try database.execute("DELETE FROM journal WHERE \(condition)")
    }

    static let journalColumns =
        "seq, number, revision, chain, publication, memory, answer"

    /// Forgets what was kept since before `limit`.
    func forgetQuarantine(before limit: Instant) throws(SQLiteError) {
        try database.execute("DELETE FROM quarantine WHERE at < \(limit.milliseconds)")
    }

    /// What the windows and requests of a session come to.
    func parts(of key: Int64) throws(SQLiteError) -> Int64 {
        sumParts.bind(1, key)
        defer { sumParts.reset() }
        return try sumParts.step() ? sumParts.integer(0) : 0
    }
}

extension StoreTables {
    /// What is remembered of those of a session's devices whose rows are as they were written.
    func goodDevices(of session: Int64) -> [SessionSnapshot.Device] {
        var devices: [SessionSnapshot.Device] = []
        getRequests.bind(1, session)
        defer { getRequests.reset() }
        while (try? getRequests.step()) == true {
            let (device, stamp) = (getRequests.bytes(0), getRequests.integer(1))
            let answers = getRequests.bytes(3)
            let sum = RowChecksum.request(
                session: session, device: device, stamp: stamp, answers: answers)
            guard sum == getRequests.integer(2) else { continue }
            devices.append(
                SessionSnapshot.Device(
                    name: String(decoding: device, as: UTF8.self),
                    stamp: UInt64(bitPattern: stamp), body: answers))
        }
        return devices
    }

    /// The text of a session's snapshot, right or wrong.
    func body(of session: Int64) -> [UInt8]? {
        getSnapshot.bind(1, session)
        defer { getSnapshot.reset() }
        return (try? getSnapshot.step()) == true ? getSnapshot.bytes(5) : nil
    }

    /// What the commits of a session change in its memory, oldest first.
    func memories(of session: Int64) -> [[UInt8]] {
        guard
            let rows = try? database.prepare(
                "SELECT memory FROM journal WHERE session = \(session) ORDER BY seq")
        else { return [] }
        var memories: [[UInt8]] = []
        while (try? rows.step()) == true {
            if let memory = rows.optionalBytes(0) { memories.append(memory) }
        }
        return memories
    }
}

internal import Coordinator
internal import Security

/// A database that was opened, checked and scanned, ready for its writer.
struct OpenedStore {
    /// What is opened.
    struct Request {
        var path: String
        /// Seals secrets; the same one every time.
        var key: SealingKey
        /// What an acknowledgement of this run promises.
        var durability: StoreDurability
        /// How the path of the note of the highest sequence number begins; nil: nothing is noted.
        var note: String?
        var now: Instant
        /// Pages in the write-ahead log from which they are copied into the database.
        var logPages: Int64 = 4000
        /// Pages that the database may have; nil: as many as SQLite can handle.
        var pageLimit: Int?
    }

    let path: String
    let tables: StoreTables
    let suspicion: StoreSuspicion
    private(set) var index = JournalIndex()
    private(set) var census = StoreCensus(sessions: 0, remains: 0, nextSeq: 1, trimmed: 0)
    /// The key in the tables of the next session.
    private(set) var nextKey: Int64 = 1
    private(set) var note: SequenceNote?
    /// What an operator should know.
    private(set) var findings: [StoreFinding] = []
    /// The tokens that were taken back.
    private(set) var revocations: [Revocation] = []

    /// Opens or makes the database; one that is damaged is replaced by what can be saved of it.
    ///
    /// - Throws: ``StoreFault`` when the database is not one that can be used.
    static func open(
        _ request: Request, _ progress: @Sendable (String) -> Void
    ) throws(StoreFault) -> OpenedStore {
        try StoreFiles(request.path).finishReplacement(at: request.now)
        do throws(StoreFault) {
            return try OpenedStore(request, salvaged: nil, progress)
        } catch {
            guard error.isDamage else { throw error }
            let salvaged = try DatabaseSalvage.run(
                request.path, reason: "\(error)", at: request.now, progress)
            return try OpenedStore(request, salvaged: salvaged, progress)
        }
    }

    private init(
        _ request: Request, salvaged: DatabaseSalvage.Report?,
        _ progress: @Sendable (String) -> Void
    ) throws(StoreFault) {
        path = request.path
        suspicion = StoreSuspicion(database: request.path)
        try StoreFiles(request.path).checkHeader()
        let database: SQLiteDatabase
        let pages: Int64
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path: request.path, access: .create)
            try database.execute(StoreSchema.patience)
            // Before anything is written, which could make the file as long as it should be.
            pages = try database.number("PRAGMA page_count") ?? 0
        } catch {
            // A header that asks for another format (SQLITE_ERROR).
            throw error.code == 1 ? .damaged(error.reason) : .database(error)
        }
        try StoreFiles(request.path).checkLength(pages: pages)
        do throws(SQLiteError) {
            try StoreSchema.configure(database, logPages: request.logPages)
            if let limit = request.pageLimit {
                try database.execute("PRAGMA max_page_count = \(limit)")
            }
        } catch {
            throw error.code == 1 ? .damaged(error.reason) : .database(error)
        }
        try StoreSchema.prepare(database, progress: progress)
        tables = try Self.tables(database, request.key)
        findings = salvaged?.findings ?? []
        do throws(SQLiteError) {
            try database.walking(pages) { () throws(SQLiteError) in
                try scan(request, salvaged, progress)
            }
            suspicion.clear()
        } catch {
            tables.rollbackTransaction()
            if error.isInterrupt { throw .damaged(StoreVerification.circles) }
            // A table or column that is not there any more (SQLITE_ERROR).
            throw error.code == 1 ? .damaged(error.reason) : .database(error)
        }
    }

    private static func tables(
        _ database: SQLiteDatabase, _ key: SealingKey
    ) throws(StoreFault) -> StoreTables {
        do throws(StoreFault) {
            return try StoreTables(checked: database, key: key)
        } catch {
            // A table or column that is not there (SQLITE_ERROR).
            guard case .database(let refusal) = error, refusal.code == 1 else { throw error }
            throw .damaged(refusal.reason)
        }
    }

    private mutating func scan(
        _ request: Request, _ salvaged: DatabaseSalvage.Report?,
        _ progress: @Sendable (String) -> Void
    ) throws(SQLiteError) {
        try count(isTrusting: salvaged == nil, progress)
        let facts = try StoredFacts(tables, isEmpty: census.sessions == 0)
        let scan = try JournalScan(tables.database, from: facts.trimmed, progress)
        index = scan.index
        // One that is given again would get the commits of a session that was deleted.
        nextKey = max(nextKey, scan.newestKey + 1)
        let newest = max(scan.newest, facts.trimmed - 1, 0)
        let noted = openNote(request, facts)
        let mark = try BackupMark(tables)
        let isOlderBackup = mark.map { !$0.isNewest(noted: noted) } ?? false
        var holes = scan.holes
        let end = try tables.database.number("SELECT max(seq) FROM journal") ?? 0
        let last = max(newest, noted ?? 0, end > newest ? newest + 1 : 0)
        if last > newest { holes.append((newest + 1)...last) }
        if salvaged == nil, !holes.isEmpty || !facts.areWhole || suspicion.isRaised {
            progress("checking the whole store")
            try checkAll()
        }
        try tables.beginTransaction()
        try note(facts, request)
        var losses = StoreLosses(tables, index)
        try losses.fill(holes, keeping: newest, at: request.now)
        let isLossy = !facts.areWhole || salvaged?.isLossy ?? false
        if isLossy || facts.mayLackRevisions || isOlderBackup || !holes.isEmpty {
            progress("giving sessions new epochs")
        }
        if isLossy || facts.mayLackRevisions || isOlderBackup {
            try losses.renewAll()
        } else if let hole = holes.last {
            try losses.renew(olderThan: hole.upperBound)
        }
        // That a backup is behind the note is no damage.
        findings += losses.findings(
            isOlderBackup ? scan.holes : holes, noted: noted, areFactsWhole: facts.areWhole,
            wasMemoryLost: facts.mayLackRevisions, isBackup: isOlderBackup)
        if mark != nil { try BackupMark.remove(from: tables) }
        try takeRevocations(facts, at: request.now)
        // A start counts as a transaction: it may have changed epochs.
        census.trimmed = facts.trimmed
        census.nextSeq = last + 1
        try tables.add(JournalRow(seq: last + 1, session: 0, number: last + 1, revision: 0))
        census.nextSeq += 1
        try tables.noteCounts(of: census)
        // What was active when the server ended is idle from now on.
        try tables.setIdle(index.sessions, since: request.now)
        try tables.commitTransaction()
        if facts.isNew {
            // The folder's name has to survive the log.
            try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        note?.write(census.nextSeq - 1)
        note?.sync()
    }

    private mutating func takeRevocations(
        _ facts: StoredFacts, at now: Instant
    ) throws(SQLiteError) {
        let hasSeal =
            try tables.database.number(
                "SELECT count(*) FROM meta WHERE name = '\(StoreTables.revocationSeal)'") != 0
        let found = try tables.takeRevocations(at: now)
        revocations = found.list
        var texts: [String] = []
        if found.damaged > 0 {
            texts.append(
                "\(found.damaged) revocations in table meta are damaged: those whose names can be "
                    + "read count for all tokens issued until now")
        }
        // A store of an earlier version has neither.
        if found.isIncomplete, hasSeal || !found.list.isEmpty {
            texts.append(
                "revocations are missing in table meta, or came from elsewhere: whoever was "
                    + "revoked should be revoked again")
        }
        findings += texts.map { StoreFinding(isDamage: true, text: $0) }
    }

    /// Takes over what was counted when it changed, or counts what there is.
    private mutating func count(
        isTrusting: Bool, _ progress: @Sendable (String) -> Void
    ) throws(SQLiteError) {
        let database = tables.database
        var newest: Int64 = 0
        for (column, table) in [("key", "session"), ("session", "snapshot")] {
            newest = max(newest, try database.number("SELECT max(\(column)) FROM \(table)") ?? 0)
        }
        nextKey = newest + 1
        if isTrusting, let noted = try tables.notedCounts {
            return (census.sessions, census.remains) = noted
        }
        if newest >= Self.manySessions { progress("counting the sessions") }
        census.sessions = Int(try database.number("SELECT count(*) FROM session") ?? 0)
        census.remains = Int(try database.number("SELECT count(*) FROM remains") ?? 0)
    }

    /// Keys from which counting may take long enough to be told.
    private static let manySessions: Int64 = 100_000

    /// Opens the note of the folder; gives the number in it.
    private mutating func openNote(_ request: Request, _ facts: StoredFacts) -> Int64? {
        guard let prefix = request.note else { return nil }
        do throws(SystemFault) {
            let note = try SequenceNote(prefix: prefix, folder: facts.folder)
            self.note = note
            return try note.read()
        } catch {
            findings.append(
                StoreFinding(
                    isDamage: false,
                    text: "an older copy of the data folder would not be noticed: \(error)"))
            return nil
        }
    }

    /// Looks through the whole file.
    private func checkAll() throws(SQLiteError) {
        let check = try tables.database.prepare("PRAGMA integrity_check(1)")
        guard try check.step() else { return }
        let verdict = check.text(0)
        check.reset()
        guard verdict != "ok" else { return }
        // SQLITE_CORRUPT
        throw SQLiteError(code: 11, action: "use the database", message: verdict)
    }

    private func note(_ facts: StoredFacts, _ request: Request) throws(SQLiteError) {
        try tables.setMeta("schema", "\(StoreSchema.version)")
        try tables.setMeta("key", request.key.fingerprint)
        try tables.setMeta("folder", facts.folder)
        try tables.setMeta("trimmed", "\(facts.trimmed)")
        try tables.setMeta("durability", request.durability.rawValue)
        try tables.setMeta("stopped", "not yet")
    }
}

/// What an acknowledgement promises (contract: protocol, configuration `durability`).
package enum StoreDurability: String, Sendable, CaseIterable {
    /// The change is on disk.
    case commit
    /// The change is in memory, and on disk after a clean stop.
    case memory
}

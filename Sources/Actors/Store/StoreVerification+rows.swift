internal import Coordinator

extension StoreVerification {
    /// What the store notes about itself.
    mutating func checkNotes(_ tables: StoreTables) throws(SQLiteError) {
        let rows = try tables.database.prepare("SELECT name, value, crc FROM meta ORDER BY name")
        var (names, total): (Set<String>, Int) = ([], 0)
        while try rows.step() {
            total += 1
            names.insert(rows.text(0))
            guard RowChecksum.meta(rows.text(0), rows.bytes(1)) != rows.integer(2) else { continue }
            let name = rows.text(0)
            add("meta", name, reason: "the checksum is wrong", Self.consequence(ofNote: name))
        }
        let isUsed = try number(tables.database, "SELECT count(*) FROM session") > 0 || total > 1
        for name in ["durability", "folder", "key", "schema", "stopped"]
        where isUsed && !names.contains(name) {
            add("meta", name, reason: "it is missing", Self.consequence(ofNote: name))
        }
        if try tables.areRevocationsSealed == false {
            add(
                "meta", StoreTables.revocationSeal,
                reason: "revocations went, or came from elsewhere", .unrevoked)
        }
        count("notes about the store", in: "meta", total)
    }

    /// What the next daemon does without this note.
    private static func consequence(ofNote name: String) -> Consequence {
        switch name {
        case StoreTables.counts: .recount
        case StoreTables.revocationSeal: .unrevoked
        case _ where StoreTables.isRevocation(note: name): .revoked
        case "durability", "folder", "key", "stopped", "trimmed", BackupMark.name: .newEpochs
        // Its version is in the file's header, too; all others are written and never read.
        default: .rewrite
        }
    }

    /// Whether there are as many sessions as the newest transaction says.
    mutating func checkCounts(_ tables: StoreTables) throws(SQLiteError) {
        guard let noted = try tables.notedCounts else { return }
        for (name, table, noted) in [
            ("sessions", "session", noted.sessions),
            ("deleted sessions with remembered bets", "remains", noted.remains),
        ] {
            let found = try number(tables.database, "SELECT count(*) FROM \(table)")
            guard found != noted else { continue }
            add(
                "meta", StoreTables.counts,
                reason: "there are \(found) \(name), and there should be \(noted): rows in table "
                    + "\(table) went, or came from elsewhere", .miscount)
        }
    }

    /// Whether commits are missing, and where the journal ends.
    mutating func checkJournal(
        _ tables: StoreTables, _ scan: JournalScan, _ facts: StoredFacts
    ) throws(SQLiteError) {
        let rows = try tables.database.prepare(
            "SELECT seq, session, number, revision, place FROM journal ORDER BY seq")
        var total = 0
        while try rows.step() {
            total += 1
            let row = JournalRow(
                seq: rows.integer(0), session: rows.integer(1), number: rows.integer(2),
                revision: rows.integer(3))
            guard RowChecksum.place(row) != rows.integer(4) else { continue }
            add("journal", "\(row.seq)", reason: "the checksum of its place is wrong", .newEpochs)
        }
        for hole in scan.holes {
            let range =
                hole.count == 1 ? "\(hole.lowerBound)" : "\(hole.lowerBound) to \(hole.upperBound)"
            add("journal", range, reason: "no commit is there", .newEpochs)
        }
        count("commits in the journal", in: "journal", total)
        let isExplained = report.damage.contains {
            $0.table == "meta" && $0.consequence == .newEpochs
        }
        if !facts.areWhole, !isExplained {
            add("meta", reason: "notes are missing", .newEpochs)
        }
        if facts.mayLackRevisions {
            report.remarks.append(
                "the last daemon kept its newest revisions in memory only and did not stop cleanly: "
                    + "the next one gives every session a new epoch")
        }
        report.sequence = max(scan.newest, facts.trimmed - 1, 0)
        try compareNote(tables, facts)
    }

    /// Whether the note outside the folder knows of more.
    private mutating func compareNote(
        _ tables: StoreTables, _ facts: StoredFacts
    ) throws(SQLiteError) {
        guard let prefix = request.note else { return }
        var noted: Int64?
        var silence = "there is no sequence note \(prefix).\(facts.folder.prefix(16))"
        do throws(SystemFault) {
            noted = try SequenceNote.peek(prefix: prefix, folder: facts.folder)
        } catch {
            silence = "\(error)"
        }
        if let mark = try BackupMark(tables) {
            report.remarks.append(
                mark.isNewest(noted: noted)
                    ? "the folder is a backup, and nothing was committed since"
                    : "the folder is a backup: a daemon that starts on it gives every session a "
                        + "new epoch")
            return
        }
        guard let noted else {
            report.remarks.append(
                "\(silence): whether the folder is an older copy cannot be told")
            return
        }
        count("sequence note", in: "note", 1)
        guard noted > report.sequence else { return }
        add(
            "note", "\(report.sequence + 1) to \(noted)",
            reason:
                "the note outside the folder knows of these commits: the folder was put back, or "
                + "lost the end of its log", .newEpochs)
    }

    /// Sessions that a walk may meet beyond their number: a tree and an index may differ.
    private static let moreSessions = 1000

    /// Every session as a daemon loads it.
    mutating func checkSessions(_ tables: StoreTables, _ index: JournalIndex) throws {
        let database = tables.database
        let total = try number(database, "SELECT count(*) FROM session")
        let rows = try database.prepare(
            "SELECT id, idle_since, idle_crc, hash, vacant FROM session NOT INDEXED")
        var done = 0
        while try rows.step() {
            try checkStop()
            done += 1
            guard done <= total + Self.moreSessions else {
                return add("file", reason: Self.circles, .salvage)
            }
            world.progress(done, total, "sessions")
            let name = rows.text(0)
            if !rows.isNull(1),
                RowChecksum.idleness(rows.integer(1), isVacant: rows.integer(4) != 0)
                    != rows.integer(2)
            {
                add(
                    "session", name, session: name,
                    reason: "the checksum of its idle time is wrong", .kept)
            }
            guard let id = SessionID(name) else {
                add(
                    "session", name, session: name, reason: "the id is not one of a session",
                    .none)
                continue
            }
            if let (place, reason) = fault(of: id, tables, index) {
                add(place.table, place.row, session: name, reason: reason, .session)
            } else if rows.integer(3) != RowChecksum.hash(ofID: Array(name.utf8)) {
                add("session", name, session: name, reason: "its hash is wrong", .session)
            }
        }
        count("sessions", in: "session", done)
        for (name, table) in [
            ("snapshots", "snapshot"), ("texts of replay windows", "window"),
            ("devices' remembered ids", "request"),
        ] {
            count(name, in: table, try number(database, "SELECT count(*) FROM \(table)"))
        }
    }

    /// What is wrong with a session, and where; nil when nothing is.
    private func fault(
        of id: SessionID, _ tables: StoreTables, _ index: JournalIndex
    ) -> (place: (table: String, row: String), reason: String)? {
        do {
            guard let (_, record) = try tables.record(of: id, index) else {
                return (("session", id.description), "its id cannot be found")
            }
            do {
                _ = try record.decode(tables.vault(of: id), settings: request.settings)
            } catch {
                return (("snapshot", id.description), "\(error)")
            }
            return nil
        } catch let fault as StorageFault {
            let known = ["session", "snapshot", "window", "request", "journal"]
            guard let table = fault.path.first, known.contains(table) else {
                return (("snapshot", id.description), "\(fault)")
            }
            let row = fault.path.dropFirst().joined(separator: ".")
            return ((table, row.isEmpty ? id.description : row), fault.message)
        } catch {
            return (("file", id.description), "\(error)")
        }
    }

    /// Rows of sessions that are not there: their sessions' rows are gone.
    mutating func checkStrays(_ database: SQLiteDatabase) throws(SQLiteError) {
        for table in ["snapshot", "window", "request"] {
            let rows = try database.prepare(
                "SELECT DISTINCT session FROM \(table) WHERE session NOT IN (SELECT key FROM session)"
            )
            while try rows.step() {
                add(
                    table, "session \(rows.integer(0))",
                    reason: "the session that it belongs to is not there", .none)
            }
        }
    }

    /// What is remembered of deleted sessions.
    mutating func checkRemains(_ tables: StoreTables) throws(SQLiteError) {
        let rows = try tables.database.prepare("SELECT id FROM remains")
        var total = 0
        while try rows.step() {
            total += 1
            let name = rows.text(0)
            guard let id = SessionID(name) else {
                add("remains", name, session: name, reason: "the id is not one of a session", .none)
                continue
            }
            do {
                _ = try tables.remains(of: id)
            } catch let error as SQLiteError {
                throw error
            } catch let fault as StorageFault {
                add("remains", name, session: name, reason: fault.message, .placements)
            } catch {
                add("remains", name, session: name, reason: "\(error)", .placements)
            }
        }
        count("deleted sessions with remembered bets", in: "remains", total)
    }
}

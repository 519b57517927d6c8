internal import Coordinator

/// Saves what can be read of a database that cannot be used as it is.
///
/// A new database gets every row that SQLite can still find, table by table and around pages that
/// it cannot; the checksums come along as they are, so that what is damaged is seen when it is
/// loaded. The old files are kept under another name.
struct DatabaseSalvage {
    /// What became of it.
    struct Report {
        /// For the operator.
        var findings: [StoreFinding]
        /// Whether rows may be gone that nothing else tells of.
        var isLossy: Bool
    }

    /// Replaces the database at `path`, which cannot be used because of `reason`.
    ///
    /// - Throws: ``StoreFault`` when the system refuses it.
    static func run(
        _ path: String, reason: String, at now: Instant, _ progress: @Sendable (String) -> Void
    ) throws(StoreFault) -> Report {
        let files = StoreFiles(path)
        progress("the store is damaged and is being saved: \(reason)")
        let copy: RowCopy.Tally
        do {
            try files.reserveDraft()
            copy = try RowCopy.make(files.draft) { files.readable() }
            // Its connection is closed now.
            try files.promoteDraft()
        } catch let fault as SystemFault {
            throw .system(fault)
        } catch let error as SQLiteError {
            throw .database(error)
        } catch {
            throw .damaged("\(error)")
        }
        let kept = try files.finishReplacement(at: now) ?? path
        let saved = copy.saved.map { "\($0.count) of \($0.table)" }.joined(separator: ", ")
        var text =
            "\(reason); the files are kept as \(kept) and their rows were copied: "
            + (saved.isEmpty ? "none" : saved)
        if !copy.unreadable.isEmpty {
            let words = copy.unreadable.map { "\($0.count) in \($0.table)" }
            text += "; places that cannot be read: \(words.joined(separator: ", "))"
        }
        if copy.isEmpty { text += "; nothing can be read" }
        return Report(
            findings: [StoreFinding(isDamage: true, text: text)],
            isLossy: !copy.unreadable.isEmpty || copy.isEmpty)
    }
}

extension StoreFiles {
    /// The damaged database, opened so that nothing in it changes; nil when it has no schema left.
    ///
    /// Where only the first page is the matter, a copy with the first page of a new database does.
    func readable() -> SQLiteDatabase? {
        if let database = Self.opened(path) { return database }
        do throws(SystemFault) {
            guard var page = Self.read(draft, count: Self.pageBytes),
                page.count == Self.pageBytes
            else { return nil }
            let size = Self.size(of: path)
            let pages = max(
                Self.rootPages, (size + Self.pageBytes - 1) / Self.pageBytes)
            // The size in pages, which counts while both counters of changes are the same.
            for byte in 0..<4 {
                page[28 + byte] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * byte))
                page[92 + byte] = page[24 + byte]
            }
            try Self.copy(path, to: trial, first: page, size: pages * Self.pageBytes)
            if Self.exists(log) { try Self.copy(log, to: trial + "-wal") }
        } catch {
            return nil
        }
        return Self.opened(trial)
    }

    private static func opened(_ file: String) -> SQLiteDatabase? {
        guard let database = try? SQLiteDatabase(path: file, access: .inspect),
            (try? database.prepare("SELECT key, id FROM session")) != nil,
            (try? database.prepare("SELECT body FROM snapshot")) != nil
        else { return nil }
        return database
    }
}

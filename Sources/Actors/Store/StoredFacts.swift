internal import Security

/// What the run before noted in the database about itself.
struct StoredFacts {
    /// Names the folder wherever a copy of it goes.
    let folder: String
    /// Everything in the journal before this one is deleted.
    let trimmed: Int64
    /// Whether revisions may be missing that the run before has shown to somebody.
    let mayLackRevisions: Bool
    /// Whether all notes are there, and as they were written.
    let areWhole: Bool
    /// Whether the database was just made.
    let isNew: Bool

    /// The notes of a database that holds no session when `isEmpty`.
    init(_ tables: StoreTables, isEmpty: Bool) throws(SQLiteError) {
        let folder = try tables.meta("folder")
        let trimmed = try tables.meta("trimmed").flatMap { Int64($0) }
        self.folder = folder ?? SHA256.hex(RandomBytes.make(32))
        mayLackRevisions = try tables.mayLackRevisions
        var areWhole = folder != nil
        for name in ["key", "durability", "stopped"] where try tables.meta(name) == nil {
            areWhole = false
        }
        // In a file that was just made there are none yet; before the first trim, not that one.
        let oldest = try tables.database.number("SELECT ifnull(min(seq), 0) FROM journal") ?? 0
        let hasTrimmed =
            try tables.database.number(
                "SELECT count(*) FROM meta WHERE name = 'trimmed'") != 0
        isNew = isEmpty && oldest == 0 && folder == nil
        self.areWhole = isNew || areWhole && (trimmed != nil || !hasTrimmed)
        self.trimmed = trimmed ?? (hasTrimmed ? max(oldest, 1) : 1)
    }
}

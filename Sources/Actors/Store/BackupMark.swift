internal import Coordinator

/// The note in a backup that it is one, and up to which transaction.
///
/// What was acknowledged after the backup is not in it, so whoever opens it gives new epochs, also
/// where no sequence note tells that something is missing (contract: protocol, Channels).
struct BackupMark {
    static let name = "backup"

    /// The newest transaction in the backup; nil when the note is damaged, and may say anything.
    let sequence: Int64?

    /// nil when the database is no backup, or one that was opened before.
    init?(_ tables: StoreTables) throws(SQLiteError) {
        let count = try tables.database.number(
            "SELECT count(*) FROM meta WHERE name = '\(Self.name)'")
        guard count != 0 else { return nil }
        sequence = try tables.meta(Self.name).flatMap { Int64($0) }
    }

    /// Whether the note outside the folder shows that nothing was committed since the backup.
    func isNewest(noted: Int64?) -> Bool {
        guard let sequence, let noted else { return false }
        return noted == sequence
    }

    static func put(_ sequence: Int64, in tables: StoreTables) throws(SQLiteError) {
        try tables.setMeta(name, "\(sequence)")
    }

    /// From now on the folder is as any other.
    static func remove(from tables: StoreTables) throws(SQLiteError) {
        try tables.database.execute("DELETE FROM meta WHERE name = '\(name)'")
    }
}

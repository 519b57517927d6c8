package import Coordinator
package import Security

/// Copies the database of a data folder, whether a daemon writes it or not.
package struct FolderBackup {
    /// What was copied.
    package struct Report: Sendable {
        /// The name of the key that opens its secrets.
        package var key: String
        /// The newest transaction that is in the backup.
        package var sequence: Int64
        /// Bytes of its database.
        package var bytes: Int
        /// What the look through the copy found.
        package var verification: StoreVerification.Report
    }

    /// Why there is no backup.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// Too little room for the copy.
        case space(needed: Int, free: Int)
        /// The copy cannot be used: this was found first.
        case unusable(String)

        /// The failure in plain words.
        package var description: String {
            switch self {
            case .space(let needed, let free):
                "the backup needs \(needed) bytes, and \(free) are free there"
            case .unusable(let reason):
                "the database is damaged as a whole, so there is no backup of it: \(reason)"
            }
        }
    }

    /// Pages that are copied and written to the disk before the next ones: two megabytes.
    ///
    /// A disk that gets everything at the end lets the daemon's commits wait behind all of it.
    private static let stepPages: Int32 = 512
    /// What is needed beside the pages.
    private static let spareBytes = 1 << 20

    private let source: String
    private let target: BackupTarget
    private let key: SealingKey
    private let settings: SessionSettings
    private let world: StoreVerification.World

    /// A backup of the database at `source`, whose secrets `key` opens.
    package init(
        _ source: String, to target: BackupTarget, key: SealingKey, settings: SessionSettings,
        _ world: StoreVerification.World
    ) {
        self.source = source
        self.target = target
        self.key = key
        self.settings = settings
        self.world = world
    }

    /// Copies, marks, syncs and checks the draft, and moves it to its place.
    ///
    /// Damage of single sessions is copied and told; a copy that a daemon could not use as it is, is
    /// none.
    ///
    /// - Throws: ``Failure``, ``StoreFault``, ``SystemFault``, ``StoreVerification/Stopped``.
    package func run() throws -> Report {
        let sequence: Int64
        do {
            try copy()
            sequence = try mark()
        } catch let error as SQLiteError {
            throw StoreFault.database(error)
        }
        try target.sync()
        let verification = try StoreVerification.run(
            StoreVerification.Request(
                path: target.database, key: key, settings: settings, note: nil), world)
        if let fatal = verification.damage.first(where: { $0.consequence == .salvage }) {
            throw Failure.unusable(fatal.reason)
        }
        let bytes = StoreFiles.size(of: target.database)
        try target.publish()
        return Report(
            key: key.fingerprint, sequence: sequence, bytes: bytes, verification: verification)
    }

    private func copy() throws {
        let source = try SQLiteDatabase(path: self.source, access: .inspect)
        try StoreSchema.check(source)
        // Refuses another key.
        _ = try StoreTables(checked: source, key: key)
        try target.reserve()
        // One transaction: what is committed from here on is not in the backup.
        try source.execute("BEGIN")
        let pages = Int(try source.number("PRAGMA page_count") ?? 0)
        _ = try source.number("SELECT count(*) FROM meta")
        let needed = pages * StoreFiles.pageBytes + Self.spareBytes
        if let free = target.freeBytes, free < needed {
            throw Failure.space(needed: needed, free: free)
        }
        let copy = try SQLiteDatabase(path: target.database, access: .create)
        // It is synced here, and worth nothing before its end.
        try copy.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
        let transfer = try SQLiteCopy(from: source, to: copy)
        while try transfer.copy(pages: Self.stepPages) {
            guard !world.isStopped() else { throw StoreVerification.Stopped() }
            try target.sync()
            let (all, left) = transfer.pages
            world.progress(all - left, all, "pages")
        }
    }

    /// Notes in the copy that it is one; gives its newest transaction.
    private func mark() throws -> Int64 {
        let database = try SQLiteDatabase(path: target.database, access: .create)
        try StoreSchema.configure(database)
        let tables = try StoreTables(database, key: key)
        let newest = try database.number("SELECT max(seq) FROM journal") ?? 0
        let trimmed = try tables.meta("trimmed").flatMap { Int64($0) } ?? 1
        let sequence = max(newest, trimmed - 1, 0)
        try tables.beginTransaction()
        try BackupMark.put(sequence, in: tables)
        try tables.commitTransaction()
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sequence
    }
}

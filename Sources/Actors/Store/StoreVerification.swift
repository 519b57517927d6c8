package import Coordinator
package import Security

/// Looks through everything in a data folder that no daemon uses, and changes nothing.
package struct StoreVerification {
    /// What is looked at.
    package struct Request: Sendable {
        /// The database.
        package var path: String
        /// Opens the secrets.
        package var key: SealingKey
        /// Bounds what is taken over from a session, as they do in a daemon.
        package var settings: SessionSettings
        /// How the path of the sequence note begins; nil: it is not looked at.
        package var note: String?

        /// A database and what it needs.
        package init(path: String, key: SealingKey, settings: SessionSettings, note: String?) {
            self.path = path
            self.key = key
            self.settings = settings
            self.note = note
        }
    }

    /// What the next daemon does about damage.
    package enum Consequence: String, Sendable, CaseIterable {
        /// It copies every row that can be read into a new database.
        case salvage
        /// It gives sessions that may have lost revisions new epochs.
        case newEpochs
        /// The session is set aside, or goes on in a new epoch, as `store.damaged` says.
        case session
        /// A new session of this id is refused or begins without these placements.
        case placements
        /// The session is not deleted by age.
        case kept
        /// It counts the sessions anew, and nothing else changes.
        case recount
        /// It goes on with numbers of sessions that are wrong.
        case miscount
        /// The revocation counts for all tokens that were issued until then.
        case revoked
        /// It goes on with the revocations that are there.
        case unrevoked
        /// It writes the row anew, and nothing else changes.
        case rewrite
        /// Nobody asks for it any more.
        case none
    }

    /// Something that is not as it was written.
    package struct Damage: Sendable, Equatable {
        /// The table, or `file`.
        package var table: String
        /// The row, as it is found in the table; empty for all of it.
        package var row: String
        /// The session it belongs to; nil when it is nobody's.
        package var session: String?
        /// What is wrong.
        package var reason: String
        /// What the next daemon does about it.
        package var consequence: Consequence
    }

    /// So many of a kind were checked.
    package struct Count: Sendable, Equatable {
        /// What was checked.
        package var name: String
        /// The table that it is in, as in ``Damage``.
        package var table: String
        /// How many there are.
        package var count: Int
    }

    /// What was found.
    package struct Report: Sendable, Equatable {
        /// What was checked, in order.
        package internal(set) var counts: [Count] = []
        /// What is not as it was written; at most ``damageLimit`` of them.
        package internal(set) var damage: [Damage] = []
        /// How many there are in all.
        package internal(set) var damageCount = 0
        /// What is no damage and good to know.
        package internal(set) var remarks: [String] = []
        /// The newest transaction.
        package internal(set) var sequence: Int64 = 0

        /// Whether nothing is damaged.
        package var isWhole: Bool { damageCount == 0 }
    }

    /// What long work tells, and asks.
    package struct World {
        /// So many pieces of so many are done.
        package var progress: (_ done: Int, _ total: Int, _ unit: String) -> Void
        /// Whether to end early.
        package var isStopped: () -> Bool

        /// A world that is told and asked.
        package init(
            progress: @escaping (_ done: Int, _ total: Int, _ unit: String) -> Void = { _, _, _ in
            },
            isStopped: @escaping () -> Bool = { false }
        ) {
            self.progress = progress
            self.isStopped = isStopped
        }
    }

    /// The work was ended early.
    package struct Stopped: Error {
        /// That it was.
        package init() {}
    }

    /// Places that are named; whoever has more has other worries.
    package static let damageLimit = 1000

    let request: Request
    let world: World
    var report = Report()

    /// Looks through everything.
    ///
    /// - Throws: ``StoreFault`` of a database that is another program's, of another version or sealed
    ///   with another key, ``Stopped``.
    package static func run(_ request: Request, _ world: World = World()) throws -> Report {
        var verification = StoreVerification(request: request, world: world)
        do {
            try verification.look()
        } catch let fault as StoreFault where fault.isDamage {
            verification.add("file", reason: "\(fault)", .salvage)
        } catch let error as SQLiteError {
            if world.isStopped() { throw Stopped() }
            guard !error.isInterrupt else {
                verification.add("file", reason: Self.circles, .salvage)
                return verification.report
            }
            guard error.isDamage else { throw StoreFault.database(error) }
            verification.add("file", reason: error.reason, .salvage)
        }
        return verification.report
    }

    mutating func add(
        _ table: String, _ row: String = "", session: String? = nil, reason: String,
        _ consequence: Consequence
    ) {
        report.damageCount += 1
        guard report.damage.count < Self.damageLimit else { return }
        report.damage.append(
            Damage(
                table: table, row: row, session: session, reason: reason,
                consequence: consequence))
    }

    mutating func count(_ name: String, in table: String, _ count: Int) {
        report.counts.append(Count(name: name, table: table, count: count))
    }

    func checkStop() throws(Stopped) {
        if world.isStopped() { throw Stopped() }
    }
}

extension StoreVerification {
    private mutating func look() throws {
        let files = StoreFiles(request.path)
        if StoreFiles.exists(files.replacement) {
            report.remarks.append(
                "\(files.replacement) takes the place of this database at the next start")
        }
        if StoreSuspicion(database: request.path).isRaised {
            report.remarks.append("the last daemon met damaged pages; the next one looks for them")
        }
        try files.checkHeader()
        let database: SQLiteDatabase
        let pages: Int64
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path: request.path, access: .examine)
            pages = try database.number("PRAGMA page_count") ?? 0
            _ = try database.number("SELECT count(*) FROM sqlite_schema")
        } catch {
            // A header that asks for another format (SQLITE_ERROR).
            throw error.code == 1 ? StoreFault.damaged(error.reason) : .database(error)
        }
        try files.checkLength(pages: pages)
        try StoreSchema.check(database)
        let tables: StoreTables
        do throws(StoreFault) {
            tables = try StoreTables(checked: database, key: request.key)
        } catch {
            guard case .database(let refusal) = error, refusal.code == 1 else { throw error }
            throw StoreFault.damaged(refusal.reason)
        }
        let isStopped = world.isStopped
        try database.watched(isStopped) { () throws(SQLiteError) in try checkPages(database) }
        try database.walking(pages, orUntil: isStopped) { try checkRows(tables) }
    }

    /// Said of a file whose pages lead in circles.
    static let circles = "a walk through its trees does not end"

    private mutating func checkRows(_ tables: StoreTables) throws {
        let database = tables.database
        try checkNotes(tables)
        let facts = try StoredFacts(
            tables, isEmpty: try database.number("SELECT count(*) FROM session") == 0)
        let scan = try JournalScan(database, from: facts.trimmed)
        try checkJournal(tables, scan, facts)
        try checkSessions(tables, scan.index)
        try checkStrays(database)
        try checkRemains(tables)
        try checkCounts(tables)
        count(
            "rows kept in quarantine", in: "quarantine",
            try number(database, "SELECT count(*) FROM quarantine"))
    }

    func number(_ database: SQLiteDatabase, _ sql: String) throws(SQLiteError) -> Int {
        Int(try database.number(sql) ?? 0)
    }

    /// Everything that SQLite itself can tell.
    private mutating func checkPages(_ database: SQLiteDatabase) throws(SQLiteError) {
        let pages = try number(database, "PRAGMA page_count")
        world.progress(0, pages, "pages")
        let check = try database.prepare("PRAGMA integrity_check")
        while try check.step() {
            let verdict = check.text(0)
            guard verdict != "ok" else { continue }
            add("file", reason: verdict, .salvage)
        }
        count("pages", in: "file", pages)
    }
}

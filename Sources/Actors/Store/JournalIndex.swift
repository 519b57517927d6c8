/// Where in the journal the commits are that no snapshot covers yet.
///
/// Kept in memory, so that the journal needs no index on disk; built from a scan at the start.
struct JournalIndex {
    /// The unbroken run of a session's commits in the journal.
    struct Run {
        /// The session's number of the first commit.
        var first: Int64
        /// The sequence numbers of the commits.
        var seqs: [Int64]

        /// The session's number of the newest commit.
        var last: Int64 { first + Int64(seqs.count) - 1 }
    }

    private var runs: [Int64: Run] = [:]

    /// Commits that no snapshot covers.
    private(set) var count = 0

    /// The run of a session; nil when its snapshot covers everything.
    subscript(session: Int64) -> Run? { runs[session] }

    /// Adds a session's next commit; false when its number is not the one after the newest.
    mutating func append(_ seq: Int64, number: Int64, of session: Int64) -> Bool {
        guard let last = runs[session]?.last else {
            runs[session] = Run(first: number, seqs: [seq])
            count += 1
            return true
        }
        guard number == last + 1 else { return false }
        runs[session]?.seqs.append(seq)
        count += 1
        return true
    }

    /// Adds a commit that was found on disk; a gap before it makes the session's run unusable.
    mutating func restore(_ seq: Int64, number: Int64, of session: Int64) {
        guard !append(seq, number: number, of: session) else { return }
        runs[session]?.first = Self.broken
        runs[session]?.seqs.append(seq)
        count += 1
    }

    /// The first number of a run with a gap: no snapshot comes before it.
    private static let broken = Int64.min / 2

    /// Forgets a session's commits up to a number.
    mutating func cover(_ session: Int64, through number: Int64) {
        guard var run = runs[session] else { return }
        let covered = min(Int(max(0, number - run.first + 1)), run.seqs.count)
        count -= covered
        if covered == run.seqs.count {
            runs[session] = nil
        } else {
            run.seqs.removeFirst(covered)
            run.first += Int64(covered)
            runs[session] = run
        }
    }

    /// The sessions with commits that no snapshot covers.
    var sessions: some Collection<Int64> { runs.keys }

    /// The smallest sequence number that is still needed; nil when none is.
    var oldest: Int64? { runs.values.lazy.compactMap(\.seqs.first).min() }
}

extension JournalIndex {
    /// Finds the commits in a database that no snapshot covers.
    init(scanning database: SQLiteDatabase) throws(SQLiteError) {
        let covered = try database.prepare("SELECT number FROM snapshot WHERE session = ?1")
        var snapshots: [Int64: Int64?] = [:]
        let entries = try database.prepare(
            "SELECT seq, session, number FROM journal ORDER BY seq")
        while try entries.step() {
            let session = entries.integer(1)
            if snapshots[session] == nil {
                covered.bind(1, session)
                snapshots[session] = .some(try covered.step() ? covered.integer(0) : nil)
                covered.reset()
            }
            // Without a snapshot the session was deleted.
            guard case .some(.some(let number)) = snapshots[session],
                entries.integer(2) > number
            else { continue }
            restore(entries.integer(0), number: entries.integer(2), of: session)
        }
    }
}

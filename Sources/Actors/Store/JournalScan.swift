/// What a start finds in the journal.
struct JournalScan {
    /// The commits that no snapshot covers.
    private(set) var index = JournalIndex()
    /// Sequence numbers without a row, or with one that is not as it was written, in order.
    private(set) var holes: [ClosedRange<Int64>] = []
    /// The newest sequence number; 0 when there is none.
    private(set) var newest: Int64 = 0
    /// The highest key of a session, also of one that was deleted; 0 when there is none.
    private(set) var newestKey: Int64 = 0

    /// Reads the places of all commits from `first` on, which are numbered without a gap.
    ///
    /// `tell` hears how far that is when it takes long.
    init(
        _ database: SQLiteDatabase, from first: Int64,
        _ tell: @Sendable (String) -> Void = { _ in }
    ) throws(SQLiteError) {
        // Each alone is found at an end of the tree.
        let oldest = try database.number("SELECT min(seq) FROM journal") ?? 1
        let end = try database.number("SELECT max(seq) FROM journal") ?? 0
        var progress = StoreProgress(
            "reading the journal",
            total: Int(clamping: end.subtractingReportingOverflow(oldest).partialValue &+ 1))
        let covered = try database.prepare("SELECT number FROM snapshot WHERE session = ?1")
        var snapshots: [Int64: Int64?] = [:]
        let entries = try database.prepare(
            "SELECT seq, session, number, revision, place, chain FROM journal ORDER BY seq")
        var expected = max(first, 1)
        while try entries.step() {
            progress.advance(tell)
            let row = JournalRow(
                seq: entries.integer(0), session: entries.integer(1), number: entries.integer(2),
                revision: entries.integer(3))
            // A damaged tree may give rows twice, or in no order.
            guard row.seq >= expected else { continue }
            guard RowChecksum.place(row) == entries.integer(4) else { continue }
            // A row of nobody stands for all from the number on.
            let start = row.session == 0 ? min(row.seq, max(row.number, expected)) : row.seq
            if start > expected { holes.append(expected...(start - 1)) }
            (newest, expected) = (row.seq, row.seq + 1)
            guard row.session != 0 else { continue }
            newestKey = max(newestKey, row.session)
            if snapshots[row.session] == nil {
                covered.bind(1, row.session)
                snapshots[row.session] = .some(try covered.step() ? covered.integer(0) : nil)
                covered.reset()
            }
            // Without a snapshot the session was deleted.
            guard case .some(.some(let number)) = snapshots[row.session], row.number > number
            else { continue }
            index.restore(
                row.seq, number: row.number, chain: entries.integer(5), of: row.session)
        }
    }
}

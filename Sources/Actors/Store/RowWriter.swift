/// Writes rows with checksums that were computed or read elsewhere, as they are.
final class RowWriter {
    /// A session's row without what depends on the rest.
    struct SessionRow {
        var key: Int64
        var id: [UInt8]
        var epoch: [UInt8]
        var idleSince: Int64?
        var idleCRC: Int64?
        var parts: Int64
        var crc: Int64
        var isVacant = false
        var owner: [UInt8]?
    }

    private let session, snapshot, window, request, journal, remains: SQLiteStatement

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        session = try database.prepare(
            "INSERT OR IGNORE INTO session VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
        snapshot = try database.prepare(
            "INSERT OR IGNORE INTO snapshot VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        window = try database.prepare("INSERT OR IGNORE INTO window VALUES(?1, ?2, ?3, ?4)")
        request = try database.prepare("INSERT OR IGNORE INTO request VALUES(?1, ?2, ?3, ?4, ?5)")
        journal = try database.prepare(
            "INSERT OR IGNORE INTO journal VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        remains = try database.prepare("INSERT OR IGNORE INTO remains VALUES(?1, ?2, ?3, ?4)")
    }

    func add(_ row: SessionRow) throws(SQLiteError) {
        session.bind(1, row.key)
        session.bind(2, row.id as [UInt8]?)
        session.bind(3, row.epoch as [UInt8]?)
        session.bind(4, row.idleSince)
        session.bind(5, row.idleCRC)
        session.bind(6, RowChecksum.hash(ofID: row.id))
        session.bind(7, row.parts)
        session.bind(8, row.crc)
        session.bind(9, row.isVacant ? 1 : 0)
        session.bind(10, row.owner)
        try session.run()
    }

    func add(_ row: SnapshotRow, crc: Int64) throws(SQLiteError) {
        let numbers = [row.session, row.number, row.revision, row.chain, row.through, crc]
        for (place, number) in numbers.enumerated() { snapshot.bind(Int32(place + 1), number) }
        try snapshot.run(7, row.body)
    }

    func addWindow(
        _ key: Int64, last: Int64, crc: Int64, lines: [UInt8]
    ) throws(SQLiteError) {
        window.bind(1, key)
        window.bind(2, last)
        window.bind(3, crc)
        try window.run(4, lines)
    }

    func addRequest(
        _ key: Int64, device: [UInt8], stamp: Int64, crc: Int64, answers: [UInt8]
    ) throws(SQLiteError) {
        request.bind(1, key)
        request.bind(2, device as [UInt8]?)
        request.bind(3, stamp)
        request.bind(4, crc)
        try request.run(5, answers)
    }

    func add(
        _ row: JournalRow, place: Int64, chain: Int64, _ texts: [[UInt8]?]
    ) throws(SQLiteError) {
        let numbers = [row.seq, row.session, row.number, row.revision, place, chain]
        for (place, number) in numbers.enumerated() { journal.bind(Int32(place + 1), number) }
        for (place, text) in texts.enumerated() { journal.bind(Int32(place + 7), text) }
        try journal.run()
    }

    func addRemains(
        id: [UInt8], deletedAt: Int64, crc: Int64, placements: [UInt8]
    ) throws(SQLiteError) {
        remains.bind(1, id as [UInt8]?)
        remains.bind(2, deletedAt)
        remains.bind(3, crc)
        try remains.run(4, placements)
    }
}

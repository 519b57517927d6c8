internal import Coordinator

/// The checksums of the tables' rows: over a number for the table, the row's identity and its columns.
///
/// Each column is told apart from its neighbours: a text comes with its length, and NULL is no
/// length that a text can have.
package struct RowChecksum {
    private var crc = CRC32C()

    /// What a checksum is of; the numbers are in every file.
    private enum Kind: UInt64 {
        case meta = 1
        case session, idleness, snapshot, window, request, remains, chain, place, commit
    }

    private init(_ kind: Kind) {
        crc.add(kind.rawValue)
    }

    /// The checksum as a column: never negative.
    private var column: Int64 { Int64(crc.value) }

    private mutating func add(_ number: Int64) {
        crc.add(UInt64(bitPattern: number))
    }

    private mutating func add(_ bytes: [UInt8]?) {
        guard let bytes else { return add(-1) }
        add(Int64(bytes.count))
        crc.add(bytes)
    }

    private mutating func add(_ row: JournalRow) {
        add(row.seq)
        add(row.session)
        add(row.number)
        add(row.revision)
    }

    private mutating func add(_ text: String) {
        add(Array(text.utf8))
    }
}

extension RowChecksum {
    /// Of a note that the store makes about itself.
    package static func meta(_ name: String, _ value: [UInt8]) -> Int64 {
        var sum = RowChecksum(.meta)
        sum.add(name)
        sum.add(value)
        return sum.column
    }

    /// Of a session without its idle time, which changes by itself.
    static func session(
        key: Int64, id: [UInt8], epoch: [UInt8], parts: Int64, owner: [UInt8]?
    ) -> Int64 {
        var sum = RowChecksum(.session)
        sum.add(key)
        sum.add(id)
        sum.add(epoch)
        sum.add(parts)
        sum.add(owner)
        return sum.column
    }

    /// Of a time and the kind of session alone, so that it can be given to many at once.
    package static func idleness(_ since: Int64, isVacant: Bool) -> Int64 {
        var sum = RowChecksum(.idleness)
        sum.add(since)
        sum.add(isVacant ? 1 : 0)
        return sum.column
    }

    /// A second way to find a session, should the tree of the ids be damaged.
    static func hash(ofID id: [UInt8]) -> Int64 {
        var crc = CRC32C()
        crc.add(id)
        return Int64(crc.value)
    }

    static func snapshot(_ row: SnapshotRow) -> Int64 {
        var sum = RowChecksum(.snapshot)
        for number in [row.session, row.number, row.revision, row.chain, row.through] {
            sum.add(number)
        }
        sum.add(row.body)
        return sum.column
    }

    static func window(session: Int64, last: Int64, lines: [UInt8]) -> Int64 {
        var sum = RowChecksum(.window)
        sum.add(session)
        sum.add(last)
        sum.add(lines)
        return sum.column
    }

    static func request(
        session: Int64, device: [UInt8], stamp: Int64, answers: [UInt8]
    ) -> Int64 {
        var sum = RowChecksum(.request)
        sum.add(session)
        sum.add(device)
        sum.add(stamp)
        sum.add(answers)
        return sum.column
    }

    static func remains(id: [UInt8], deletedAt: Int64, placements: [UInt8]) -> Int64 {
        var sum = RowChecksum(.remains)
        sum.add(id)
        sum.add(deletedAt)
        sum.add(placements)
        return sum.column
    }
}

extension RowChecksum {
    /// Where the chain of a session's commits begins.
    static func chainStart(of session: Int64) -> Int64 {
        var sum = RowChecksum(.chain)
        sum.add(session)
        return sum.column
    }

    /// Of a commit's place alone, which a start reads without the texts.
    static func place(_ row: JournalRow) -> Int64 {
        var sum = RowChecksum(.place)
        sum.add(row)
        return sum.column
    }

    /// Of a commit, its place and the chain before it: the chain after it.
    static func chain(
        after chain: Int64, _ row: JournalRow, publication: [UInt8]?, memory: [UInt8]?,
        answer: [UInt8]?
    ) -> Int64 {
        var sum = RowChecksum(.commit)
        sum.add(chain)
        sum.add(row)
        sum.add(publication)
        sum.add(memory)
        sum.add(answer)
        return sum.column
    }
}

/// A snapshot's row.
struct SnapshotRow {
    var session: Int64
    /// The session's newest commit that it holds.
    var number: Int64
    var revision: Int64
    /// The chain after that commit.
    var chain: Int64
    /// The session has no other commit in the journal up to this sequence number.
    var through: Int64
    var body: [UInt8]
}

/// Where a commit's row is and whose it is.
struct JournalRow {
    var seq: Int64
    /// 0: nobody's, it stands for a start or for commits that are lost.
    var session: Int64
    var number: Int64
    var revision: Int64
}

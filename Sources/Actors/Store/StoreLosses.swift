internal import Coordinator
internal import Security

/// What a start does about commits that are not there any more.
struct StoreLosses {
    private let tables: StoreTables
    private let index: JournalIndex
    private var renewed = 0
    /// The first of these sessions.
    private var names: [String] = []

    /// Sessions that are told by name.
    private static let namedLimit = 20

    init(_ tables: StoreTables, _ index: JournalIndex) {
        self.tables = tables
        self.index = index
    }

    /// Puts a row of nobody in place of each hole, so that it is found once.
    ///
    /// Rows that are not as they were written, which may lie in holes and after `newest`, are kept
    /// apart.
    mutating func fill(
        _ holes: [ClosedRange<Int64>], keeping newest: Int64, at now: Instant
    ) throws(SQLiteError) {
        for hole in holes {
            try tables.isolateEntries(
                hole, reason: "the checksum of its place is wrong", at: now)
        }
        try tables.isolateEntries(
            (newest + 1)...Int64.max, reason: "the checksum of its place is wrong", at: now)
        for hole in holes {
            try tables.add(
                JournalRow(
                    seq: hole.upperBound, session: 0, number: hole.lowerBound, revision: 0))
        }
    }

    /// Gives a new epoch to every session that may have had a commit up to this sequence number
    /// that is not there: no device may recover over that gap.
    mutating func renew(olderThan seq: Int64) throws(SQLiteError) {
        let sessions = try tables.database.prepare(
            """
            SELECT key, id, epoch, parts, session.crc, through, owner FROM session
            LEFT JOIN snapshot ON snapshot.session = session.key
            """)
        var keys: [(key: Int64, id: [UInt8], owner: [UInt8]?)] = []
        while try sessions.step() {
            let (key, id) = (sessions.integer(0), sessions.bytes(1))
            guard max(index[key]?.seqs.last ?? 0, sessions.integer(5)) < seq else { continue }
            // What is damaged stays as it is, so that it is seen.
            let crc = RowChecksum.session(
                key: key, id: id, epoch: sessions.bytes(2), parts: sessions.integer(3),
                owner: sessions.optionalBytes(6))
            guard crc == sessions.integer(4),
                try tables.parts(of: key) == sessions.integer(3)
            else { continue }
            keys.append((key, id, sessions.optionalBytes(6)))
        }
        for (key, id, owner) in keys {
            tables.dropWindow.bind(1, key)
            try tables.dropWindow.run()
            try tables.sealParts(of: key, id: id, epoch: Self.newEpoch(), owner: owner)
        }
        renewed += keys.count
        let room = Self.namedLimit - names.count
        names += keys.prefix(max(0, room)).map { String(decoding: $0.id, as: UTF8.self) }
    }

    /// Gives a new epoch to every session that is not damaged.
    mutating func renewAll() throws(SQLiteError) {
        try renew(olderThan: .max)
    }

    static func newEpoch() -> String {
        String(SHA256.hex(RandomBytes.make(32)).prefix(16))
    }

    /// What was lost and what became of the sessions, in words.
    func findings(
        _ holes: [ClosedRange<Int64>], noted: Int64?, areFactsWhole: Bool, wasMemoryLost: Bool,
        isBackup: Bool
    ) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        var outcome: String {
            var text = "; \(renewed) sessions that may have lost revisions have new epochs"
            if !names.isEmpty { text += ": \(names.joined(separator: ", "))" }
            return renewed > names.count ? text + " and more" : text
        }
        if !areFactsWhole {
            findings.append(
                StoreFinding(isDamage: true, text: "notes in table meta are damaged" + outcome))
        } else if !holes.isEmpty {
            let words = holes.prefix(8).map { hole in
                hole.count == 1
                    ? "\(hole.lowerBound)" : "\(hole.lowerBound) to \(hole.upperBound)"
            }
            let isBehind = noted.map { $0 == holes.last?.upperBound } ?? false
            let why =
                isBehind
                ? "the store is behind what was noted outside the data folder: it was put back, "
                    + "or lost the end of its log; " : ""
            let more = holes.count > words.count ? " and more" : ""
            findings.append(
                StoreFinding(
                    isDamage: true,
                    text: why + "transactions \(words.joined(separator: ", "))\(more) are missing "
                        + "in table journal" + outcome))
        }
        if wasMemoryLost {
            findings.append(
                StoreFinding(isDamage: false, text: "the last run did not stop cleanly" + outcome))
        }
        if isBackup {
            findings.append(
                StoreFinding(isDamage: false, text: "the folder is a backup" + outcome))
        }
        return findings
    }
}

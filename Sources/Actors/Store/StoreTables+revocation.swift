internal import Coordinator

/// Tokens that were taken back: a note each, and one that tells how many there are.
extension StoreTables {
    /// The note about how many revocations there are, and the sum of their checksums.
    static let revocationSeal = "revocations"
    /// How the notes' names begin; `!` is the letter after the blank.
    private static let kinds = (user: "revoked user ", token: "revoked token ")

    /// What a start finds.
    struct FoundRevocations {
        var list: [Revocation] = []
        /// Those that are not as they were written, which count from now on.
        var damaged = 0
        /// Whether there are others than were noted.
        var isIncomplete = false
    }

    /// Notes a revocation, within a transaction.
    func revoke(_ revocation: Revocation) throws(SQLiteError) {
        let name = Self.noteName(of: revocation.subject)
        let old = try checksum(ofNote: name)
        let value = "\(revocation.at.milliseconds)"
        try setMeta(name, value)
        // One that is damaged is made anew by the next start, which tells of it.
        guard var seal = try sealedRevocations else { return }
        seal.count += old == nil ? 1 : 0
        seal.sum = seal.sum &- (old ?? 0) &+ RowChecksum.meta(name, Array(value.utf8))
        try setMeta(Self.revocationSeal, "\(seal.count) \(seal.sum)")
    }

    /// Reads all revocations, within a transaction that makes those whole which are damaged.
    func takeRevocations(at now: Instant) throws(SQLiteError) -> FoundRevocations {
        var found = FoundRevocations()
        var (count, sum, mends): (Int, Int64, [Revocation]) = (0, 0, [])
        let rows = try database.prepare(
            "SELECT name, value, crc FROM meta WHERE name >= 'revoked ' AND name < 'revoked!'")
        while try rows.step() {
            let name = rows.text(0)
            count += 1
            sum &+= rows.integer(2)
            guard let subject = Self.subject(ofNote: name) else {
                found.damaged += 1
                continue
            }
            let isWhole = RowChecksum.meta(name, rows.bytes(1)) == rows.integer(2)
            if isWhole, let milliseconds = Int64(rows.text(1)) {
                found.list.append(Revocation(subject, at: Instant(milliseconds: milliseconds)))
            } else {
                // Too many tokens rather than too few.
                found.damaged += 1
                mends.append(Revocation(subject, at: now))
            }
        }
        let seal = try sealedRevocations
        found.isIncomplete = seal.map { $0 != (count, sum) } ?? true
        for mend in mends {
            try setMeta(Self.noteName(of: mend.subject), "\(mend.at.milliseconds)")
        }
        found.list += mends
        if found.isIncomplete || !mends.isEmpty { try sealRevocations() }
        return found
    }

    /// Whether the revocations are those that were noted; nil when nothing is noted about them.
    var areRevocationsSealed: Bool? {
        get throws(SQLiteError) {
            let (count, sum) = try summedRevocations
            return try sealedRevocations.map { $0 == (count, sum) }
        }
    }

    /// Whether a note is about a revocation.
    static func isRevocation(note name: String) -> Bool {
        subject(ofNote: name) != nil
    }

    private func sealRevocations() throws(SQLiteError) {
        let (count, sum) = try summedRevocations
        try setMeta(Self.revocationSeal, "\(count) \(sum)")
    }

    private var summedRevocations: (count: Int, sum: Int64) {
        get throws(SQLiteError) {
            let rows = try database.prepare(
                "SELECT crc FROM meta WHERE name >= 'revoked ' AND name < 'revoked!'")
            var (count, sum): (Int, Int64) = (0, 0)
            while try rows.step() {
                count += 1
                sum &+= rows.integer(0)
            }
            return (count, sum)
        }
    }

    private var sealedRevocations: (count: Int, sum: Int64)? {
        get throws(SQLiteError) {
            let words = try meta(Self.revocationSeal)?.split(separator: " ") ?? []
            guard words.count == 2, let count = Int(words[0]), let sum = Int64(words[1]) else {
                return nil
            }
            return (count, sum)
        }
    }

    private func checksum(ofNote name: String) throws(SQLiteError) -> Int64? {
        let row = try database.prepare("SELECT crc FROM meta WHERE name = ?1")
        row.bind(1, name)
        return try row.step() ? row.integer(0) : nil
    }

    private static func noteName(of subject: RevokedSubject) -> String {
        switch subject {
        case .user(let name): kinds.user + name
        case .tokenID(let name): kinds.token + name
        }
    }

    private static func subject(ofNote name: String) -> RevokedSubject? {
        // By bytes: what a name begins with could be one letter with the blank.
        func rest(_ kind: String) -> String? {
            guard name.utf8.starts(with: kind.utf8) else { return nil }
            return String(Substring(name.utf8.dropFirst(kind.utf8.count)))
        }
        return rest(kinds.user).map(RevokedSubject.user)
            ?? rest(kinds.token).map(RevokedSubject.tokenID)
    }
}

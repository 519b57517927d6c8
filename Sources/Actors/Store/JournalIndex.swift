/// Where in the journal the commits are that no snapshot covers yet.
///
/// Kept in memory, so that the journal needs no index on disk; built from a scan at the start.
struct JournalIndex {
    /// A session's commits in the journal, in order.
    struct Run {
        /// The session's number of the first commit.
        var first: Int64
        /// The sequence numbers of the commits.
        var seqs: [Int64]
        /// The chain after each commit.
        var chains: [Int64]
        /// The number of a commit that is missing after these, although later ones are there.
        var gap: Int64?

        /// The session's number of the newest commit.
        var last: Int64 { first + Int64(seqs.count) - 1 }
    }

    private var runs: [Int64: Run] = [:]

    /// Commits that no snapshot covers.
    private(set) var count = 0

    /// The run of a session; nil when its snapshot covers everything.
    subscript(session: Int64) -> Run? { runs[session] }

    /// Adds a session's next commit; false when its number is not the one after the newest.
    mutating func append(
        _ seq: Int64, number: Int64, chain: Int64, of session: Int64
    ) -> Bool {
        guard Self.append(seq, number: number, chain: chain, to: &runs[session]) else {
            return false
        }
        count += 1
        return true
    }

    /// The same for the place of a run, which is looked for once.
    private static func append(
        _ seq: Int64, number: Int64, chain: Int64, to run: inout Run?
    ) -> Bool {
        guard let last = run?.last else {
            run = Run(first: number, seqs: [seq], chains: [chain])
            return true
        }
        guard number == last + 1 else { return false }
        run?.seqs.append(seq)
        run?.chains.append(chain)
        return true
    }

    /// Adds a commit that was found on disk; a gap before it ends the session's run.
    mutating func restore(_ seq: Int64, number: Int64, chain: Int64, of session: Int64) {
        guard runs[session]?.gap == nil else { return }
        guard !append(seq, number: number, chain: chain, of: session) else { return }
        let missing = (runs[session]?.last ?? 0) + 1
        runs[session]?.gap = missing
    }

    /// The chain after a session's commit of this number; nil when it is not among the uncovered.
    func chain(after number: Int64, of session: Int64) -> Int64? {
        guard let run = runs[session], number >= run.first, number <= run.last else { return nil }
        return run.chains[Int(number - run.first)]
    }

    /// Forgets a session's commits up to a number.
    mutating func cover(_ session: Int64, through number: Int64) {
        guard var run = runs[session] else { return }
        // Not by subtraction alone: the numbers of a damaged row may be any.
        let covered =
            number >= run.last ? run.seqs.count : Int(max(0, number - run.first + 1))
        count -= covered
        if covered == run.seqs.count {
            runs[session] = nil
        } else {
            run.seqs.removeFirst(covered)
            run.chains.removeFirst(covered)
            run.first += Int64(covered)
            runs[session] = run
        }
    }

    /// Gives back the memory of a time when there were many more.
    mutating func shrinkIfSparse() { runs.shrinkIfSparse() }

    /// The sessions with commits that no snapshot covers.
    var sessions: some Collection<Int64> { runs.keys }

    /// The smallest sequence number that is still needed; nil when none is.
    var oldest: Int64? { runs.values.lazy.compactMap(\.seqs.first).min() }
}

/// The replay window of one session: the newest publications, bounded in number and age.
///
/// The publications kept are always an unbroken run that ends at the newest revision
/// (contract: protocol, Channels; configuration `history`).
package struct History: Sendable {
    private struct Entry: Sendable {
        var publication: Publication
        var at: Instant
    }

    private var entries: [Entry] = []
    private var firstIndex = 0
    private let size: Int
    private let seconds: Int64

    /// The newest revision; 0 while there is none.
    package private(set) var top: UInt64

    /// An empty window whose next publication is `top` + 1, for `size` publications of `seconds`.
    package init(size: Int, seconds: Int64, top: UInt64 = 0) {
        self.size = size
        self.seconds = seconds
        self.top = top
    }

    /// The publications in the window, oldest first.
    package var publications: [Publication] { entries[firstIndex...].map(\.publication) }

    /// Adds the publication of revision `top` + 1 and drops what is too much or too old.
    package mutating func append(_ publication: Publication, at now: Instant) {
        precondition(publication.offset == top + 1, "publications are appended in order")
        top += 1
        entries.append(Entry(publication: publication, at: now))
        trim(at: now)
    }

    /// The publications after `offset`, oldest first; nil when some of them are not kept any more.
    package mutating func tail(after offset: UInt64, at now: Instant) -> [Publication]? {
        guard offset <= top else { return nil }
        trim(at: now)
        let missed = top - offset
        guard missed <= UInt64(entries.count - firstIndex) else { return nil }
        return entries[(entries.count - Int(missed))...].map(\.publication)
    }

    /// A page of the window as the `history` command asks for it.
    ///
    /// When the entries right after `since` were trimmed, the oldest ones kept are given without an
    /// error (protocol facts: Centrifugal, history).
    package mutating func page(
        since offset: UInt64?, limit: Int64, reverse: Bool, at now: Instant
    ) -> [Publication] {
        guard limit != 0 else { return [] }
        trim(at: now)
        var kept = entries[firstIndex...].map(\.publication)
        if let offset {
            kept = kept.filter { publication in
                guard let place = publication.offset else { return false }
                return reverse ? place < offset : place > offset
            }
        }
        if reverse { kept.reverse() }
        guard limit > 0, limit < Int64(kept.count) else { return kept }
        return Array(kept.prefix(Int(limit)))
    }

    private mutating func trim(at now: Instant) {
        let oldest = now.advanced(bySeconds: -seconds)
        while firstIndex < entries.count,
            entries.count - firstIndex > size || entries[firstIndex].at < oldest
        {
            firstIndex += 1
        }
        // Moving the rest down costs what it frees, so appending stays constant on average.
        if firstIndex > entries.count / 2 {
            entries.removeFirst(firstIndex)
            firstIndex = 0
        }
    }
}

/// The replay window of one session: the newest publications, bounded in number and age.
///
/// The publications kept are always an unbroken run that ends at the newest revision
/// (contract: protocol, Channels; configuration `history`).
package struct History: Sendable, Equatable {
    /// A publication and when it was made.
    package struct Entry: Sendable, Equatable {
        /// The publication, which has an offset.
        package var publication: Publication
        /// When it was made, for its age.
        package var at: Instant

        /// A publication made at `at`.
        package init(_ publication: Publication, at: Instant) {
            self.publication = publication
            self.at = at
        }
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

    /// The window of a stored session whose newest revision is `top`.
    ///
    /// Of `entries`, oldest first, the unbroken run that ends at `top` is kept.
    package init(size: Int, seconds: Int64, top: UInt64, entries: [Entry]) {
        self.init(size: size, seconds: seconds, top: top)
        var wanted = top
        let start = entries.lastIndex { entry in
            guard entry.publication.offset == wanted, wanted > 0 else { return true }
            wanted -= 1
            return false
        }
        self.entries = Array(entries[(start.map { $0 + 1 } ?? 0)...])
    }

    /// What is in the window after revision `offset`, oldest first.
    package func entries(after offset: UInt64) -> ArraySlice<Entry> {
        let missed = Int(clamping: top - min(offset, top))
        return entries[max(firstIndex, entries.count - missed)...]
    }

    /// The oldest revision in the window; one more than the newest when it is empty.
    package var first: UInt64 { top + 1 - UInt64(entries.count - firstIndex) }

    /// The publications in the window, oldest first.
    package var publications: [Publication] { entries[firstIndex...].map(\.publication) }

    /// Adds the publication of revision `top` + 1 and drops what is too much or too old.
    package mutating func append(_ publication: Publication, at now: Instant) {
        precondition(publication.offset == top + 1, "publications are appended in order")
        top += 1
        entries.append(Entry(publication, at: now))
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

import Actors
import Coordinator

/// Lists the sessions of a data folder, a page at a time.
struct SessionsListing {
    /// What the list needs of the world.
    struct World {
        /// A clock of microseconds that only goes forward.
        var now: () -> UInt64
        /// Takes text for standard output.
        var print: (String) -> Void
        /// Takes the bar of long work; nil when nobody would see it.
        var progress: ((String) -> Void)?
        /// Whether the bar and the list are on the same terminal, where one makes room for the other.
        var isShared: Bool
        /// The exit code when it is time to stop early.
        var isStopped: () -> ExitCode?
    }

    private let world: World
    private var table: SessionsTable

    /// Sessions that are read before they are printed.
    private static let pageSize = 200

    /// A list that has not begun.
    init(isJSON: Bool, world: World) {
        self.world = world
        table = SessionsTable(.folder, isJSON: isJSON, print: world.print)
    }

    /// Prints the sessions after `start`, `limit` at most, and how many there are.
    ///
    /// - Returns: Failure when one of them is damaged.
    mutating func run(
        _ sessions: StoredSessions, after start: String, limit: Int?
    ) throws(SQLiteError) -> ExitCode {
        let extent = try sessions.extent(after: start, limit: limit ?? .max)
        var bar = world.progress.map { write in
            ProgressBar(total: extent.count, unit: "sessions", now: world.now, write: write)
        }
        defer { bar?.clear() }
        table.begin(longestID: extent.longestID)
        var last = start
        while table.count < extent.count {
            let page = try sessions.page(
                after: last, limit: min(Self.pageSize, extent.count - table.count))
            guard let newest = page.last?.id else { break }
            if let code = world.isStopped() { return code }
            last = newest
            if world.isShared { bar?.clear() }
            table.add(page.map(\.listed))
            bar?.show(table.count)
        }
        bar?.clear()
        let hasMore = limit != nil ? try sessions.extent(after: last, limit: 1).count > 0 : false
        table.end(next: hasMore ? last : nil)
        return table.damaged == 0 ? .done : .failed
    }
}

extension FoundSession {
    /// The session as a row of the table.
    fileprivate var listed: SessionsTable.Row {
        switch content {
        case .damaged(let reason):
            return SessionsTable.Row(id: id, cells: nil, fault: reason, json: row)
        case .stored(let stored):
            let state = stored.viewing.state
            return SessionsTable.Row(
                id: id,
                cells: [
                    stored.epoch, "\(stored.revision)", state.vendor?.rawValue ?? "-",
                    state.player.phase.rawValue, "\(stored.mark.commits)", "\(bytes)", idleness,
                    state.stage?.words ?? "-",
                ], fault: nil, json: row)
        }
    }
}

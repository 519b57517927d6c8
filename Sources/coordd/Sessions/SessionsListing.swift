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

    private let isJSON: Bool
    private let world: World
    private var count = 0
    private var damaged = 0
    private var idWidth = 0

    /// Sessions that are read before they are printed.
    private static let pageSize = 200
    private static let maximumIDWidth = 40
    /// Epochs of today have 8 characters, those that replace lost ones 16.
    private static let epochWidth = 16

    /// A list that has not begun.
    init(isJSON: Bool, world: World) {
        self.isJSON = isJSON
        self.world = world
    }

    /// Prints the sessions after `start`, `limit` at most, and how many there are.
    ///
    /// - Returns: Failure when one of them is damaged.
    mutating func run(
        _ sessions: StoredSessions, after start: String, limit: Int?
    ) throws(SQLiteError) -> ExitCode {
        let extent = try sessions.extent(after: start, limit: limit ?? .max)
        idWidth = min(max(extent.longestID, "SESSION".count), Self.maximumIDWidth)
        var bar = world.progress.map { write in
            ProgressBar(total: extent.count, unit: "sessions", now: world.now, write: write)
        }
        defer { bar?.clear() }
        world.print(isJSON ? "{\"sessions\":[" : head)
        var last = start
        while count < extent.count {
            let page = try sessions.page(
                after: last, limit: min(Self.pageSize, extent.count - count))
            guard let newest = page.last?.id else { break }
            if let code = world.isStopped() { return code }
            last = newest
            if world.isShared { bar?.clear() }
            world.print(text(page))
            bar?.show(count)
        }
        bar?.clear()
        let hasMore = limit != nil ? try sessions.extent(after: last, limit: 1).count > 0 : false
        world.print(isJSON ? tail(next: hasMore ? last : nil) : total(next: hasMore ? last : nil))
        return damaged == 0 ? .done : .failed
    }

    private mutating func text(_ page: [FoundSession]) -> String {
        var text = ""
        for found in page {
            if case .damaged = found.content { damaged += 1 }
            if isJSON {
                text += (count == 0 ? "\n" : ",\n") + PlainText.json(found.row)
            } else {
                text += line(found)
            }
            count += 1
        }
        return text
    }

    private func tail(next: String?) -> String {
        let next = PlainText.json(next.map { .string($0) } ?? .null)
        return "\n],\"next\":\(next),\"damaged\":\(damaged)}\n"
    }

    private func total(next: String?) -> String {
        var text = count == 1 ? "1 session" : "\(count) sessions"
        if damaged > 0 { text += ", \(damaged) damaged" }
        if let next { text += "; the next ones: --after \(PlainText.escaped(next))" }
        return text + "\n"
    }
}

extension SessionsListing {
    private var head: String {
        row(
            "SESSION", ["EPOCH", "REV", "VENDOR", "PHASE", "JOURNAL", "BYTES", "IDLE SINCE"],
            "STAGE")
    }

    private func line(_ found: FoundSession) -> String {
        switch found.content {
        case .damaged(let reason):
            let id = Self.padded(PlainText.escaped(found.id), idWidth)
            return "\(id)  damaged: \(PlainText.escaped(reason))\n"
        case .stored(let stored):
            let state = stored.viewing.state
            return row(
                found.id,
                [
                    stored.epoch, "\(stored.revision)", state.vendor?.rawValue ?? "-",
                    state.player.phase.rawValue, "\(stored.mark.commits)", "\(found.bytes)",
                    found.idleness,
                ], state.stage?.words ?? "-")
        }
    }

    private func row(_ id: String, _ cells: [String], _ stage: String) -> String {
        let widths = [Self.epochWidth, -7, 10, 7, -7, -8, 24]
        let padded = zip(cells, widths).map { Self.padded(PlainText.escaped($0), $1) }
        let first = Self.padded(PlainText.escaped(id), idWidth)
        return ([first] + padded + [PlainText.escaped(stage)]).joined(separator: "  ") + "\n"
    }

    /// The text with blanks behind it, or before it when the width is negative.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? blanks + text : text + blanks
    }
}

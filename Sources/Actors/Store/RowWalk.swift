/// Copies the rows of a table with row numbers out of a damaged file, around what cannot be read.
struct RowWalk {
    private let up, down: SQLiteStatement
    private let put: SQLiteStatement
    private let target: SQLiteDatabase
    /// Rows that were copied.
    private(set) var copied = 0
    /// Ranges that cannot be read.
    private(set) var unreadable = 0

    /// Ranges that are looked for at most.
    private static let rangeLimit = 10_000

    /// nil when the table is not there.
    init?(
        _ table: String, key: String, from source: SQLiteDatabase, to target: SQLiteDatabase
    ) {
        let columns = "SELECT \(key), * FROM \(table) NOT INDEXED WHERE \(key)"
        guard let up = try? source.prepare("\(columns) >= ?1 ORDER BY \(key)"),
            let down = try? source.prepare("\(columns) <= ?1 ORDER BY \(key) DESC"),
            let put = RowCopy.inserter(table, of: target)
        else { return nil }
        (self.up, self.down, self.put, self.target) = (up, down, put, target)
    }

    /// Copies all rows that can be reached.
    mutating func run() {
        // Rows below `low` and above `high` are copied.
        var low: Int64 = 0
        var high = Int64.max
        guard let first = ascend(from: &low, below: high) else { return }
        low = first
        guard let last = descend(from: &high, above: low) else { return unreadable += 1 }
        high = last
        while unreadable < Self.rangeLimit {
            unreadable += 1
            guard var found = probe(above: low, below: high) else { return }
            var lower = found
            // What lies before it is on the same good pages.
            _ = descend(from: &lower, above: low)
            guard let next = ascend(from: &found, below: high), next > low else { return }
            low = next
        }
    }

    /// Copies upwards; gives the row number after the last good one when that fails, nil at the end.
    private mutating func ascend(from low: inout Int64, below high: Int64) -> Int64? {
        up.bind(1, low)
        defer { up.reset() }
        do throws(SQLiteError) {
            while try up.step() {
                let key = up.integer(0)
                // A damaged tree may lead back to where one was.
                guard key >= low else { return low }
                guard key < high else { return nil }
                copied += RowCopy.copy(up, put, from: 1, of: target)
                guard key < .max else { return nil }
                low = key + 1
            }
            return nil
        } catch {
            return low
        }
    }

    /// Copies downwards; gives the row number before the last good one when that fails.
    private mutating func descend(from high: inout Int64, above low: Int64) -> Int64? {
        down.bind(1, high)
        defer { down.reset() }
        do throws(SQLiteError) {
            while try down.step() {
                let key = down.integer(0)
                guard key <= high else { return high }
                guard key >= low else { return nil }
                copied += RowCopy.copy(down, put, from: 1, of: target)
                guard key > .min else { return nil }
                high = key - 1
            }
            return nil
        } catch {
            return high
        }
    }

    /// Looks for a row that can be read, farther and farther away.
    private func probe(above low: Int64, below high: Int64) -> Int64? {
        var distance: Int64 = 1
        while true {
            let (place, isOver) = low.addingReportingOverflow(distance)
            guard !isOver, place < high else { return nil }
            up.bind(1, place)
            defer { up.reset() }
            if (try? up.step()) == true {
                let key = up.integer(0)
                return key > low && key < high ? key : nil
            }
            guard distance < .max / 2 else { return nil }
            distance *= 2
        }
    }
}

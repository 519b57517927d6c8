/// What is to be done later, ordered by time and then by order of entry.
///
/// One agenda serves a whole simulation, driven by one timer of the loop, or by hand in tests.
package struct Agenda {
    private struct Item {
        var due: UInt64
        var number: UInt64
        var work: () -> Void

        func precedes(_ other: Item) -> Bool {
            due == other.due ? number < other.number : due < other.due
        }
    }

    /// A binary heap, the next item first.
    private var items: [Item] = []
    private var added: UInt64 = 0

    /// An agenda with nothing to do.
    package init() {}

    /// How many things wait.
    package var count: Int { items.count }

    /// When the next thing is due, in microseconds; nil when nothing waits.
    package var nextDue: UInt64? { items.first?.due }

    /// Adds work for the time `due`, in microseconds.
    package mutating func add(at due: UInt64, _ work: @escaping () -> Void) {
        added += 1
        items.append(Item(due: due, number: added, work: work))
        var child = items.count - 1
        while child > 0, items[child].precedes(items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out the next work that is due by `time`; nil when there is none.
    package mutating func next(dueBy time: UInt64) -> (() -> Void)? {
        guard let first = items.first, first.due <= time else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].precedes(items[least]) {
                least = child
            }
            guard least != parent else { return first.work }
            items.swapAt(parent, least)
            parent = least
        }
    }

    /// Drops everything.
    package mutating func removeAll() {
        items.removeAll()
    }
}

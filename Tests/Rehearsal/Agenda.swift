/// What is going to happen in the simulated world: the earliest first, and what was planned first
/// where two things fall on the same millisecond.
struct Agenda {
    private struct Entry {
        let at: Int64
        let order: UInt64
        let action: () -> Void

        static func < (left: Entry, right: Entry) -> Bool {
            (left.at, left.order) < (right.at, right.order)
        }
    }

    /// A heap: each entry comes before the two below it.
    private var heap: [Entry] = []
    private var planned: UInt64 = 0

    /// When the next thing happens, in Unix milliseconds; nil when nothing is planned.
    var next: Int64? { heap.first?.at }

    mutating func plan(at: Int64, _ action: @escaping () -> Void) {
        planned += 1
        heap.append(Entry(at: at, order: planned, action: action))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes the next thing out, which must be there.
    mutating func take() -> () -> Void {
        heap.swapAt(0, heap.count - 1)
        let action = heap.removeLast().action
        var place = 0
        while true {
            var first = place
            for below in [2 * place + 1, 2 * place + 2] where below < heap.count {
                if heap[below] < heap[first] { first = below }
            }
            guard first != place else { return action }
            heap.swapAt(place, first)
            place = first
        }
    }
}

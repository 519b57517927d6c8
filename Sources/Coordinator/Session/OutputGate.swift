/// Holds back what a session says until the change it was computed from is durable.
///
/// Outputs leave in the order they were made, whatever they are: answers, rejections, publications,
/// signals, effects (contract: domain, section 3; protocol, Methods).
struct OutputGate<Output: Sendable>: Sendable {
    private struct Held: Sendable {
        var output: Output
        var needs: UInt64
    }

    private var held: [Held] = []
    private var firstIndex = 0

    /// Whether nothing is held back.
    var isEmpty: Bool { firstIndex == held.count }

    /// Adds an output that may leave once commit number `needs` is durable.
    mutating func hold(_ output: Output, until needs: UInt64) {
        held.append(Held(output: output, needs: needs))
    }

    /// The oldest output, when commit number `durable` lets it leave.
    mutating func next(durable: UInt64) -> Output? {
        guard firstIndex < held.count, held[firstIndex].needs <= durable else { return nil }
        let output = held[firstIndex].output
        firstIndex += 1
        if firstIndex == held.count {
            held.removeAll(keepingCapacity: held.count <= 64)
            firstIndex = 0
        }
        return output
    }

    /// Takes all outputs that wait for commit number `failed` or a later one.
    mutating func discard(from failed: UInt64) -> [Output] {
        let discarded = held[firstIndex...].filter { $0.needs >= failed }.map(\.output)
        held = held[firstIndex...].filter { $0.needs < failed }
        firstIndex = 0
        return discarded
    }

    /// Takes all outputs for which `isMeant` says so, whatever they wait for.
    mutating func withdraw(where isMeant: (Output) -> Bool) -> [Output] {
        guard !isEmpty else { return [] }
        let withdrawn = held[firstIndex...].map(\.output).filter(isMeant)
        held = held[firstIndex...].filter { !isMeant($0.output) }
        firstIndex = 0
        return withdrawn
    }
}

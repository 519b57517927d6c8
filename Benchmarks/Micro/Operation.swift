/// One thing that the pure core does for an event, alone or with all the others.
///
/// The event is a `betslip.update` as in the workload W2 of `make bench`.
enum Operation: String, CaseIterable {
    /// A line becomes a command.
    case decode
    /// The connection's machine decides about a command, and hears of its answer.
    case route
    /// A document becomes an event.
    case event
    /// The rules change the state, and the patch of that is found.
    case apply
    /// The patch between two states alone.
    case patch
    /// The session decides, commits and publishes; without the encoding for a connection.
    case publish
    /// A publication and an answer are written for one connection.
    case encode
    /// From the line to the last byte that comes of it.
    case all

    /// Runs it `count` times; gives a number that depends on all of its work, so that none is left
    /// out.
    func run(_ count: Int, on bench: inout Bench) throws -> Int {
        var sum = 0
        for number in 0..<count { sum += try run(once: number, on: &bench) }
        return sum
    }

    private func run(once number: Int, on bench: inout Bench) throws -> Int {
        switch self {
        case .decode: try bench.decode(number)
        case .route: bench.route(number)
        case .event: try bench.event(number)
        case .apply: try bench.apply(number)
        case .patch: bench.patch(number)
        case .publish: bench.publish(number)
        case .encode: bench.encode(number)
        case .all: try bench.all(number)
        }
    }
}

internal import Coordinator

/// The processor time of single operations of the pure core, without sockets, loop and store.
///
/// `bench-micro OPERATION [COUNT]` runs one of them and prints nanoseconds for each time;
/// `bench-micro --list` names them. For instructions and allocations run it under
/// `valgrind --tool=callgrind` with two counts and divide the difference.
private let arguments = Array(CommandLine.arguments.dropFirst())
private let usage = "usage: bench-micro OPERATION [COUNT] | --list"

if arguments == ["--list"] {
    for operation in Operation.allCases { print(operation.rawValue) }
} else if let operation = arguments.first.flatMap({ Operation(rawValue: $0) }),
    arguments.count <= 2,
    let count = arguments.count == 2 ? Int(arguments[1]) : 100_000, count > 0
{
    var bench = try Bench()
    let clock = ContinuousClock()
    let start = clock.now
    let bytes = try operation.run(count, on: &bench)
    print("\(operation.rawValue): \((clock.now - start) / count) each, \(bytes) bytes")
} else {
    fatalError(usage)
}

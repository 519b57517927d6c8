/// The daemon of a run: a temporary folder, and one process after another that serves it.
///
/// Confined to the loop that runs the context's agenda.
package final class DaemonKeeper {
    /// What became of a start.
    package enum Start: Sendable, Equatable {
        /// Clients are accepted at `address`, so many microseconds after the start.
        case ready(address: String, microseconds: UInt64)
        /// The process ended first, in these words.
        case ended(String)
    }

    /// Processes started so far.
    package private(set) var starts = 0
    /// Processor time of the processes that were killed, in seconds.
    private var earlierSeconds = 0.0
    private let context: SimulationContext
    private let folder: TemporaryFolder
    /// Commands around the first processes, one each.
    private let wrappers: [[String]]
    private let environment: [String]
    private let program: String?
    private var child: DaemonChild?

    /// How long a daemon may take to accept clients.
    private static let startMilliseconds: UInt64 = 10_000
    /// A wrapper may slow a daemon down by much.
    private static let wrappedStartMilliseconds: UInt64 = 60_000
    /// How long a daemon may take to drain; longer than its default for that.
    private static let drainMilliseconds: UInt64 = 15_000
    private static let pollMilliseconds: UInt64 = 2

    /// A keeper of a new folder; the process number N is started through `wrappers[N]`, as far as
    /// there are some.
    ///
    /// - Throws: ``DaemonChild/StartError`` when the folder cannot be made.
    package init(
        context: SimulationContext, program: String? = nil, wrappers: [[String]] = [],
        environment: [String] = []
    ) throws(DaemonChild.StartError) {
        self.context = context
        self.program = program
        self.wrappers = wrappers
        self.environment = environment
        do {
            folder = try TemporaryFolder(prefix: "coordd-simulate-")
        } catch {
            throw DaemonChild.StartError(description: "no temporary folder: \(error)")
        }
    }

    /// Whether the present process was started through a wrapper.
    package var isWrapped: Bool { starts > 0 && starts <= wrappers.count }

    /// The last lines that the processes logged.
    package var logTail: String { DaemonChild.logTail(in: folder.path) }

    /// Processor time of all processes so far, in seconds; nil before the first.
    package var processorSeconds: Double? {
        guard starts > 0 else { return nil }
        return earlierSeconds + (child?.processorSeconds() ?? 0)
    }

    /// Starts a process on the folder; `then` is called once.
    ///
    /// - Throws: ``DaemonChild/StartError`` when there can be no process.
    package func start(
        then: @escaping (Start) -> Void
    ) throws(DaemonChild.StartError) {
        let wrapper = (starts < wrappers.count ? wrappers[starts] : []).map {
            $0.hasPrefix("{data}") ? folder.path + "/data" + $0.dropFirst("{data}".count) : $0
        }
        child = try DaemonChild(
            in: folder.path, program: program, wrapper: wrapper, environment: environment)
        starts += 1
        let limit = wrapper.isEmpty ? Self.startMilliseconds : Self.wrappedStartMilliseconds
        awaitReady(since: context.now(), limit: limit * 1000, then)
    }

    private func awaitReady(
        since start: UInt64, limit: UInt64, _ then: @escaping (Start) -> Void
    ) {
        if let ended = end() { return then(.ended(ended)) }
        let elapsed = context.now() &- start
        if let address = child?.address() {
            return then(.ready(address: address, microseconds: elapsed))
        }
        if elapsed > limit { kill() }
        later { $0.awaitReady(since: start, limit: limit, then) }
    }

    /// How the present process ended, in words; nil while it runs.
    package func end() -> String? { child?.end() }

    /// Ends the present process at once.
    package func kill() {
        if child?.end() == nil { earlierSeconds += child?.processorSeconds() ?? 0 }
        child?.kill()
    }

    /// Asks the present process to drain, and kills it when it does not in time; `then` gets how it
    /// ended.
    package func stop(then: @escaping (String) -> Void) {
        if child?.end() == nil { earlierSeconds += child?.processorSeconds() ?? 0 }
        child?.terminate()
        awaitEnd(killingAt: context.now() + Self.drainMilliseconds * 1000, then)
    }

    /// Calls `then` with how the present process ended, as soon as it has.
    package func awaitEnd(
        killingAt deadline: UInt64 = .max, _ then: @escaping (String) -> Void
    ) {
        if let ended = end() { return then(ended) }
        if context.now() > deadline { child?.kill() }
        later { $0.awaitEnd(killingAt: deadline, then) }
    }

    private func later(_ work: @escaping (DaemonKeeper) -> Void) {
        context.schedule(afterMilliseconds: Self.pollMilliseconds) { [weak self] in
            guard let self else { return }
            work(self)
        }
    }
}

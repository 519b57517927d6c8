/// Kills the daemon of a run again and again, at moments fixed by the seed or by what is under way,
/// and starts it anew on the same data.
///
/// Confined to the loop that runs the context's agenda.
package final class DaemonKiller {
    /// When the blow falls, once its time has come.
    private enum Moment: CaseIterable {
        /// At once, whatever happens.
        case anyTime
        /// In the very moment in which an event is acknowledged.
        case atAnswer
        /// While many events are under way.
        case inBurst
    }

    /// Called with the address of a daemon that is back.
    package var onReturned: (_ address: String) -> Void = { _ in }
    /// Called when no daemon comes back, with the reason.
    package var onGivenUp: (_ reason: String) -> Void = { _ in }
    /// Called to have many events under way.
    package var burst: () -> Void = {}
    /// Kills that were asked for and have not come yet.
    package private(set) var remaining: Int
    /// Whether a daemon is gone and the next one not there yet.
    package private(set) var isBusy = false

    private let keeper: DaemonKeeper
    private let context: SimulationContext
    private var random: SplitMix64
    private let interval: UInt64
    private var isStopped = false
    private var hasLeft = false

    /// Milliseconds a daemon lives at least.
    private static let minimumLife: UInt64 = 150
    /// How often a wrapped daemon is looked after, in milliseconds.
    private static let watchMilliseconds: UInt64 = 5

    /// A killer that strikes `kills` times in so many milliseconds.
    package init(
        keeper: DaemonKeeper, context: SimulationContext, kills: Int, milliseconds: UInt64
    ) {
        self.keeper = keeper
        self.context = context
        remaining = kills
        interval = max(1, milliseconds / UInt64(max(1, kills)))
        random = SplitMix64(seed: context.seed ^ 0x6B69_6C6C, part: 0)
    }

    /// Strikes from now on until ``stop()``.
    package func start() {
        scheduleKill(after: 0)
        watch()
    }

    /// Strikes no more.
    package func stop() { isStopped = true }

    /// Looks after the daemon no more: what becomes of it from now is somebody else's.
    package func leave() { hasLeft = true }

    /// The next blow comes somewhere in the next interval, less what the last one took.
    private func scheduleKill(after taken: UInt64) {
        guard remaining > 0 else { return }
        let moment = UInt64.random(in: (interval / 4)...interval, using: &random)
        let pause = max(Self.minimumLife, moment - min(moment, taken))
        context.schedule(afterMilliseconds: pause) { [weak self] in self?.arm() }
    }

    private func arm() {
        guard !isStopped, !isBusy, remaining > 0 else { return }
        let moment = Moment.allCases.randomElement(using: &random) ?? .anyTime
        let delay = UInt64.random(in: 0...12, using: &random)
        switch moment {
        case .anyTime: kill()
        case .inBurst:
            burst()
            context.schedule(afterMilliseconds: delay) { [weak self] in self?.kill() }
        case .atAnswer:
            context.onAcknowledged = { [weak self] in self?.kill() }
            burst()
        }
    }

    private func kill() {
        guard !isBusy, remaining > 0 else { return }
        context.onAcknowledged = {}
        // One that is dead already is not our doing, and is found by whoever looks after it.
        guard !isStopped, keeper.end() == nil else { return }
        remaining -= 1
        isBusy = true
        context.isServerDown = true
        context.tally.chaos.kills += 1
        let killedAt = context.now()
        keeper.kill()
        keeper.awaitEnd { [weak self] _ in
            guard let self else { return }
            let pause = UInt64.random(in: 0...100, using: &self.random)
            self.context.schedule(afterMilliseconds: pause) { [weak self] in
                self?.restart(since: killedAt)
            }
        }
    }

    /// A daemon under a wrapper may die by itself: that is what the wrapper is for.
    private func watch() {
        guard !hasLeft else { return }
        if !isBusy, keeper.isWrapped, keeper.end() != nil {
            isBusy = true
            context.isServerDown = true
            context.tally.chaos.crashes += 1
            restart(since: context.now())
        }
        context.schedule(afterMilliseconds: Self.watchMilliseconds) { [weak self] in self?.watch() }
    }

    private func restart(since killedAt: UInt64) {
        startDaemon { [weak self] address in
            guard let self else { return }
            self.isBusy = false
            self.context.isServerDown = false
            self.onReturned(address)
            self.scheduleKill(after: (self.context.now() &- killedAt) / 1000)
        }
    }

    /// Starts the daemon; one that dies under a wrapper is started again.
    package func startDaemon(then: @escaping (_ address: String) -> Void) {
        do throws(DaemonChild.StartError) {
            try keeper.start { [weak self] start in
                guard let self else { return }
                let keeper = self.keeper
                switch start {
                case .ready(let address, let microseconds):
                    if !keeper.isWrapped { self.context.tally.chaos.restarts.record(microseconds) }
                    then(address)
                case .ended where keeper.isWrapped:
                    self.context.tally.chaos.crashes += 1
                    self.startDaemon(then: then)
                case .ended(let words):
                    self.onGivenUp("the daemon \(words) before it accepted clients again")
                }
            }
        } catch {
            onGivenUp(error.description)
        }
    }
}

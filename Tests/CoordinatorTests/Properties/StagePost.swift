import Coordinator

/// What the present stage device was sent, and what it said about it.
struct StagePost {
    /// Every effect in the order of arrival, those of a reconnect once more.
    private(set) var sent: [Effect] = []
    private(set) var done: Set<UInt64> = []
    private(set) var failed: Set<UInt64> = []
    /// Whether an effect was dropped because there were too many.
    private(set) var isLossy = false
    /// A device that carried everything out as it came, and whose page hears only once it is ready.
    private(set) var device = ModelledDevice()

    /// Takes in one transition.
    mutating func follow(_ moment: Moment) throws {
        guard let outcome = moment.outcome else { return }
        if outcome.warnings.contains(where: { $0.code == "outbox.full" }) { isLossy = true }
        switch moment.cause {
        case .attach(let name):
            let before = moment.before.memory
            if before.stageDevice != nil, before.stageDevice != name || before.isStageTaken {
                self = StagePost()
            }
            try send(moment.after.pendingEffects(after: outcome))
        case .detach, .take, .restart: break
        case .acknowledge(let done, let failed):
            self.done.formUnion(done)
            self.failed.formUnion(failed)
            try push(outcome, moment)
        case .event, .expire: try push(outcome, moment)
        }
    }

    private mutating func push(_ outcome: Outcome, _ moment: Moment) throws {
        let before = moment.before.state
        if before.player.phase != .ready, moment.after.state.player.phase == .ready {
            device.pageBecameReady()
        }
        if before.stage?.connected == true { try send(outcome.effects) }
    }

    private mutating func send(_ effects: [Effect]) throws {
        sent += effects
        for effect in effects { try Self.execute(effect, on: &device) }
    }

    /// The first place at which the device can have lost the connection: after what it spoke of.
    var firstLoss: Int {
        (sent.lastIndex { done.contains($0.seq) || failed.contains($0.seq) } ?? -1) + 1
    }

    /// A device that carried out these effects of what was sent, but for those that failed.
    func device(after range: Range<Int>) throws -> ModelledDevice {
        var device = ModelledDevice()
        try run(range, on: &device)
        return device
    }

    /// Lets a device carry out these effects of what was sent, but for those that failed.
    func run(_ range: Range<Int>, on device: inout ModelledDevice) throws {
        for effect in sent[range] where !failed.contains(effect.seq) {
            try Self.execute(effect, on: &device)
        }
    }

    static func execute(_ effect: Effect, on device: inout ModelledDevice) throws {
        // Offered once, so nothing about it can be harmless a second time.
        if case .placeBet = effect.order { return }
        try device.execute(effect.json)
    }
}

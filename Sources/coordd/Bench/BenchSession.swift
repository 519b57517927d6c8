/// One session of a benchmark: a phone that sends events, and screens that get them.
///
/// Confined to its loop.
final class BenchSession {
    /// What a session tells the run.
    struct Hooks {
        /// A steady clock in nanoseconds.
        var now: () -> UInt64
        /// A connection is ready for events.
        var ready: () -> Void
        /// Event `due` at a time has come to a screen.
        var delivered: (_ due: UInt64, _ time: UInt64) -> Void
        /// The event that was sent at a time was answered.
        var answered: (_ sent: UInt64, _ time: UInt64, _ refusal: String?) -> Void
        /// All screens have the event.
        var completed: (BenchSession) -> Void
        /// A connection cannot go on.
        var failed: (String) -> Void
    }

    /// The session's id.
    let id: String
    /// Events that were sent.
    private(set) var sent: UInt32 = 0
    /// Events that all screens have.
    private(set) var completed: UInt32 = 0
    /// What each screen got.
    private(set) var ledgers: [BenchLedger]
    private let hooks: Hooks
    private var phone: BenchConnection?
    private var screens: [BenchConnection] = []
    /// When the events were sent whose answers have not come.
    private var sentAt: [UInt64] = []
    private var answered = 0
    /// How many screens have each of the events that not all of them have.
    private var arrivals: [UInt32: Int] = [:]
    private var firstEvent: UInt32 = 0

    /// A session with so many screens, not yet connected.
    init(id: String, screens: Int, hooks: Hooks) {
        self.id = id
        self.hooks = hooks
        ledgers = Array(repeating: BenchLedger(), count: screens)
    }

    /// Connects the phone, which makes the session.
    func openPhone(
        _ token: String?, _ dial: (@escaping (BenchConnection.Event) -> Void) -> BenchConnection
    ) {
        let script = BenchRequest.phone("\(id)-phone", of: id, token: token)
        firstEvent = UInt32(script.count) + 1
        phone = open(script, dial) { [weak self] event in
            guard case .answer(let id, let refusal) = event else { return }
            self?.answered(id, refusal)
        }
    }

    /// Connects the next screen.
    func openScreen(
        _ token: String?, _ dial: (@escaping (BenchConnection.Event) -> Void) -> BenchConnection
    ) {
        let number = screens.count
        let script = BenchRequest.screen("\(id)-screen-\(number)", of: id, token: token)
        screens.append(
            open(script, dial) { [weak self] event in
                if case .event(let mark) = event { self?.delivered(mark, to: number) }
            })
    }

    /// Sends the next event.
    func send(due: UInt64) {
        phone?.send(.event(BenchMark(number: sent, due: due), of: id), id: firstEvent + sent)
        sentAt.append(hooks.now())
        sent += 1
    }

    /// Counts what never came, and ends all connections.
    func close() {
        for index in ledgers.indices { ledgers[index].close(sent: sent) }
        phone?.close()
        for screen in screens { screen.close() }
    }

    /// Plays a script, one request after the answer to the one before, then passes events on.
    private func open(
        _ script: [BenchRequest],
        _ dial: (@escaping (BenchConnection.Event) -> Void) -> BenchConnection,
        then pass: @escaping (BenchConnection.Event) -> Void
    ) -> BenchConnection {
        var step = 0
        var connection: BenchConnection?
        let made = dial { [weak self, hooks] event in
            switch event {
            case .opened: break
            case .answer(let id, let refusal) where step < script.count:
                guard Int(id) == step + 1 else { return }
                if let refusal { return hooks.failed("\(script[step]): \(refusal)") }
                step += 1
                if step == script.count { return hooks.ready() }
            case .ended(let why):
                connection = nil
                return hooks.failed(why)
            case .answer, .event: return pass(event)
            }
            guard self != nil else { return }
            connection?.send(script[step], id: UInt32(step + 1))
        }
        connection = made
        return made
    }

    private func delivered(_ mark: BenchMark, to screen: Int) {
        let time = hooks.now()
        guard ledgers[screen].arrived(mark.number) else { return }
        hooks.delivered(mark.due, time)
        let count = arrivals[mark.number, default: 0] + 1
        guard count == ledgers.count else {
            arrivals[mark.number] = count
            return
        }
        arrivals[mark.number] = nil
        completed += 1
        hooks.completed(self)
    }

    private func answered(_ id: UInt32, _ refusal: String?) {
        // Answers come in the order of the requests.
        guard id == firstEvent + UInt32(answered), answered < sentAt.count else {
            return hooks.failed("an answer to \(id), which was not its turn")
        }
        hooks.answered(sentAt[answered], hooks.now(), refusal)
        answered += 1
    }
}

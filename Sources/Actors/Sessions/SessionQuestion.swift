package import Coordinator

/// Somebody who asks a session one thing and is no connection, such as an HTTP request.
final class SessionQuestion: SessionPeer {
    let number: UInt64
    private let system: SessionSystem
    private let completion: LoopBound<((Reply.Body) -> Void)?>

    init(
        number: UInt64, system: SessionSystem, _ completion: @escaping (Reply.Body) -> Void
    ) {
        self.number = number
        self.system = system
        self.completion = LoopBound(completion, on: system.loop)
    }

    /// Nothing is ever pushed.
    var encoding: WireEncoding { .line }

    func reply(to command: UInt32, _ body: Reply.Body) {
        guard let completion = completion.withValue({ $0.take() }) else { return }
        system.connectionLost(number, following: [])
        system.metrics.answered(body)
        completion(body)
    }

    func send(_ bytes: [UInt8]) {}

    func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe) {}

    func disconnect(_ disconnect: Disconnect) {}
}

extension SessionSystem {
    /// Asks a session one thing for the HTTP API; the answer comes once, and later.
    ///
    /// What is asked is done whether anybody waits for the answer or not.
    package func ask(
        _ session: SessionID, _ call: SessionCall, _ completion: @escaping (Reply.Body) -> Void
    ) {
        // Numbered from the other end than connections.
        let number = directory.withValue { directory in
            directory.questions += 1
            return UInt64.max - directory.questions
        }
        register(SessionQuestion(number: number, system: self, completion))
        deliver(
            SessionRequest(
                session: session, caller: .api(connection: number), command: 1, call: call),
            creates: false)
    }
}

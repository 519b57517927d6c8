internal import Coordinator

// MARK: - Pausing

/// A client that asks faster than sessions can answer, or than it reads the answers, is not listened to
/// for a while: what it sends waits in the kernel's buffers, and holds it up in time.
///
/// The bound on its answers is that of a read above `outstanding`, since what the last read brought is still
/// taken; but when its queue is high, what was read and not taken waits here, at most one read of it.
extension ClientConnection.State {
    /// Whether the next command is taken now.
    var takesMore: Bool { isOpen && !outbound.isHigh }

    /// Whether a pause is over.
    fileprivate var isReady: Bool { !isOpen || !(client.isSaturated || outbound.isHigh) }

    /// Whether something waits here.
    var hasBacklog: Bool { !(heldRest.isEmpty && messageRest.isEmpty && backlog.isEmpty) }

    /// Keeps what was read and not taken, unless nothing is taken any more.
    mutating func keep(_ rest: Span<UInt8>) {
        if isOpen, !rest.isEmpty { backlog.append(lent: rest) }
    }
}

extension ClientConnection {
    /// Stops reading when there is much to be answered or to be read by the client first.
    func pauseIfNeeded() {
        let stream = state.withValue { state -> (any ByteStream)? in
            guard state.isOpen, !state.isPaused else { return nil }
            guard !state.isReady || state.hasBacklog else { return nil }
            state.isPaused = true
            return state.stream
        }
        guard let stream else { return }
        stream.stopReading()
        // What makes it ready may have come before the pause.
        resumeIfReady()
    }

    /// Goes on reading at the turn's end, when a pause is over: never within what a session says.
    func resumeIfReady() {
        let resumes = state.withValue { state in
            guard state.isPaused, !state.isResuming, state.isReady else { return false }
            state.isResuming = true
            return true
        }
        if resumes { server.loop.atTurnEnd { [self] in resume() } }
    }

    private func resume() {
        let held = state.withValue { state in
            (state.isPaused, state.isResuming) = (false, false)
            defer { state.heldRest = [] }
            return state.heldRest
        }
        takeHeld(held)
        let message = state.withValue { state -> [UInt8] in
            guard state.heldRest.isEmpty else { return [] }
            defer { state.messageRest = [] }
            return state.isOpen ? state.messageRest : []
        }
        if !message.isEmpty { takeMessage(message) }
        let (bytes, carrier) = state.withValue { state -> ([UInt8], Carrier?) in
            guard state.heldRest.isEmpty, state.messageRest.isEmpty else { return ([], nil) }
            defer { state.backlog = [] }
            return (state.isOpen ? state.backlog : [], state.carrier)
        }
        if !bytes.isEmpty, let carrier { take(bytes.span, over: carrier) }
        pauseIfNeeded()
        // One that is about to move to another loop does not read either.
        if state.withValue({ !$0.isPaused && !$0.isClosed && $0.held == nil }) { start() }
    }

    /// Takes what was kept while the connection moved, as far as it is listened to.
    func takeHeld(_ held: [Passage.Held]) {
        for (index, input) in held.enumerated() {
            let waits = state.withValue { state in
                guard state.isOpen, !state.takesMore else { return false }
                state.heldRest = Array(held[index...])
                return true
            }
            if waits { return }
            take(input)
        }
    }
}

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
            guard !state.isReady || !state.backlog.isEmpty || !state.messageRest.isEmpty else {
                return nil
            }
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
        let (message, carrier) = state.withValue { state -> ([UInt8], Carrier?) in
            (state.isPaused, state.isResuming) = (false, false)
            defer { state.messageRest = [] }
            return (state.isOpen ? state.messageRest : [], state.carrier)
        }
        if !message.isEmpty { takeMessage(message) }
        let bytes = state.withValue { state -> [UInt8] in
            guard state.messageRest.isEmpty else { return [] }
            defer { state.backlog = [] }
            return state.isOpen ? state.backlog : []
        }
        if !bytes.isEmpty, let carrier { take(bytes.span, over: carrier) }
        pauseIfNeeded()
        if state.withValue({ !$0.isPaused && !$0.isClosed }) { start() }
    }
}

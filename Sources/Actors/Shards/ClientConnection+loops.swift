internal import Coordinator

// MARK: - Sessions of other loops

extension ClientConnection.State {
    /// Keeps what came while the connection moves; false when it does not, and it is to be done now.
    mutating func holds(_ input: @autoclosure () -> Passage.Held) -> Bool {
        guard held != nil else { return false }
        held?.append(input())
        return true
    }
}

extension ClientConnection {
    /// Hands a call to its session, on whatever loop that is.
    ///
    /// Before its first call a connection moves to the loop of that session, so that the ordinary client,
    /// all of whose channels are of one session, is where its session is. Afterwards it stays.
    func ask(_ request: SessionRequest, creates: Bool) {
        guard let post = server.post else {
            return server.sessions.deliver(request, creates: creates, from: self)
        }
        let place = post.place(of: request.session)
        let isFirst = state.withValue { state in
            defer { state.hasAsked = true }
            return !state.hasAsked
        }
        if place == post.index {
            return server.sessions.deliver(request, creates: creates, from: self)
        }
        if isFirst, hold(request, creates: creates) {
            // When what has just been read is taken: all of it is kept till then.
            server.loop.execute { [self] in move(to: place) }
            return
        }
        let encoding = state.withValue { state in
            state.asked.insert(place)
            return state.encoding
        }
        post.send(.request(request, creates: creates, from: post.index, encoding), to: place)
    }

    /// Reads no more, and keeps what was read already behind this call.
    private func hold(_ request: SessionRequest, creates: Bool) -> Bool {
        let stream = state.withValue { state -> (any ByteStream)? in
            guard state.isOpen, !state.outbound.isWriting else { return nil }
            state.held = [.call(request, creates: creates)]
            return state.stream
        }
        stream?.stopReading()
        return stream != nil
    }

    private func move(to place: Int) {
        let isDraining = server.isDraining
        let known = server.state.withValue { $0.news.count }
        let passage = state.withValue { state -> Passage? in
            guard state.isOpen, !isDraining, !state.outbound.isWriting, !state.outbound.isSharing,
                !state.isPaused, !state.hasBacklog, let held = state.held,
                let stream = state.stream.detach()
            else { return nil }
            let passage = Passage(
                number: number, stream: stream, address: state.address, carrier: state.carrier,
                frames: state.frames, encoding: state.encoding, framer: state.framer,
                client: state.client, outbound: state.outbound, held: held, revocations: known)
            state.phase = .closed
            state.outbound.clear()
            state.held = nil
            return passage
        }
        if let passage { return server.depart(passage, to: place) }
        // It has to stay, for instance because no descriptor is left.
        let held = state.withValue { state -> [Passage.Held] in
            guard !state.isClosed else { return [] }
            return state.held.take() ?? []
        }
        goOn(with: held)
    }

    /// Reads on, after what was kept.
    func goOn(with held: [Passage.Held]) {
        let (isClosed, hasOutput) = state.withValue { state -> (Bool, Bool) in
            guard !state.isClosed, !state.isDirty, !state.outbound.isEmpty else {
                return (state.isClosed, false)
            }
            state.isDirty = true
            return (false, true)
        }
        guard !isClosed else { return }
        if hasOutput { turn.flush(self) }
        start()
        takeHeld(held)
        pauseIfNeeded()
    }

    /// Takes what is not a command, or anything that was kept.
    func take(_ input: Passage.Held) {
        guard !state.withValue({ $0.holds(input) }) else { return }
        switch input {
        case .call(let request, let creates): ask(request, creates: creates)
        case .command(let command): take(command)
        case .fault(let fault): take(fault)
        case .disconnect(let reason): disconnect(reason)
        case .close(let code): closed(by: code)
        case .webSocketFault(let fault): fail(fault)
        }
    }
}

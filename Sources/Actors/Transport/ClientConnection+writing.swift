internal import Coordinator

// MARK: - Writing

extension ClientConnection {
    /// Queues bytes; they go out with all others of this loop turn in one write.
    ///
    /// With `isAlone` any number of bytes is taken when nothing else waits.
    func write(isAlone: Bool = false, _ encode: (inout [UInt8]) -> Void) {
        let queued = state.withValue { queue(in: &$0, isAlone: isAlone, encode) }
        sent(queued)
    }

    /// What comes of bytes that were queued.
    enum Queued { case first, more, overflow }

    /// Adds bytes to the queue; ``sent(_:)`` comes next, when the state is not lent any more.
    func queue(
        in state: inout State, isAlone: Bool = false, _ encode: (inout [UInt8]) -> Void
    ) -> Queued {
        if state.outbound.needsBuffer {
            state.outbound.use(server.buffers.withValue { $0.lend() })
        }
        guard state.outbound.append(isAlone: isAlone, encode) else { return .overflow }
        return state.noteQueued()
    }

    /// Sees to it that what was queued leaves at the turn's end.
    func sent(_ queued: Queued) {
        switch queued {
        case .first: turn.flush(self)
        case .more: break
        case .overflow: dropSlowReader()
        }
    }

    /// Writes what was queued in this turn, unless an earlier write is still under way; gives the
    /// number of bytes that the kernel took at once.
    @discardableResult
    func flush() -> Int {
        var (stream, encoding, batch) = state.withValue { state in
            state.isDirty = false
            if state.isClosed { state.outbound.clear() }
            return (state.stream, state.encoding, state.outbound.take())
        }
        let count = batch.count
        guard count > 0 else {
            wroteAll()
            return 0
        }
        let written: Int
        do throws(UVError) {
            written = try write(batch, in: encoding, to: stream)
        } catch {
            close()
            return 0
        }
        if written == count {
            if batch.own.capacity > 0 { server.buffers.withValue { $0.takeBack(&batch.own) } }
            completedWrite()
            return written
        }
        writeRest(of: batch, in: encoding, from: written, to: stream)
        return written
    }

    private func write(
        _ batch: OutboundQueue.Batch, in encoding: WireEncoding, to stream: any ByteStream
    ) throws(UVError) -> Int {
        guard !batch.shared.isEmpty else { return try stream.tryWrite(batch.own.span) }
        return try turn.withOutput { output throws(UVError) in
            try stream.tryWrite(
                output[encoding].span.extracting(batch.shared), batch.own.span)
        }
    }

    /// Leaves to the stream what the kernel did not take; what was shared is the connection's own then.
    private func writeRest(
        of batch: OutboundQueue.Batch, in encoding: WireEncoding, from start: Int,
        to stream: any ByteStream
    ) {
        let rest = batch.count - start
        var bytes = batch.own
        var begin = start - batch.shared.count
        if begin < 0 {
            let left = batch.shared.dropFirst(start)
            bytes = turn.withOutput { Array($0[encoding][left]) } + bytes
            begin = 0
        }
        stream.write(bytes, from: begin) { [self] error in
            guard error == nil else { return close() }
            state.withValue { $0.outbound.completed() }
            server.metrics.sent(bytes: rest + flush())
            resumeIfReady()
        }
    }

    /// A client that reads too slowly is cut off at once: a half-written line cannot be followed
    /// by a push, and its memory is wanted back (contract: protocol, Errors).
    ///
    /// On a WebSocket the close frame says so, unless a frame is half written.
    func dropSlowReader() {
        server.slowReaderDropped(self)
        let saysWhy = state.withValue { state in
            state.encoding != .line && !state.outbound.isWriting && !state.isClosed
        }
        guard saysWhy else { return close(resetting: true) }
        let slow = Disconnect.slow
        let code = WebSocketCode(UInt16(clamping: slow.code))
        write(isAlone: true) { WebSocketWriter.close(code, reason: slow.reason, into: &$0) }
        flush()
        close()
    }

    /// Sends the last push once every earlier command is answered.
    func finishIfAnswered() {
        let last = state.withValue { state -> (Farewell, WireEncoding)? in
            guard case .finishing(let farewell) = state.phase, state.client.outstanding == 0 else {
                return nil
            }
            return (farewell, state.encoding)
        }
        guard let last else { return }
        switch last {
        case (.none, _): break
        case (.disconnect(let reason), .line):
            write { JSONCodec.encode(Push.disconnect(reason), into: &$0) }
        case (.disconnect(let disconnect), .webSocketJSON),
            (.disconnect(let disconnect), .webSocketProtobuf):
            // The frame's code and reason say it; a push would be one word too many.
            let code = WebSocketCode(UInt16(clamping: disconnect.code))
            write { WebSocketWriter.close(code, reason: disconnect.reason, into: &$0) }
        case (.close(let code, let reason), _):
            write { WebSocketWriter.close(code, reason: reason, into: &$0) }
        }
        linger()
    }

    func linger() {
        let until = server.loop.turnTime.advanced(byMilliseconds: Self.lingerMilliseconds)
        let isIdle = state.withValue { state in
            guard !state.isClosed else { return false }
            state.phase = .lingering(until: until)
            return state.outbound.isEmpty
        }
        if isIdle { wroteAll() }
    }

    private func completedWrite() {
        let (isLingering, isPaused) = state.withValue { state -> (Bool, Bool) in
            state.outbound.completed()
            if case .lingering = state.phase { return (true, state.isPaused) }
            return (false, state.isPaused)
        }
        if isLingering { wroteAll() }
        if isPaused { resumeIfReady() }
    }

    /// Nothing is left to write: a lingering connection closes its side.
    private func wroteAll() {
        let stream = state.withValue { state -> (any ByteStream)? in
            guard case .lingering = state.phase, state.outbound.isEmpty else { return nil }
            return state.stream
        }
        guard let stream else { return }
        if state.withValue({ $0.inputEnded }) { close() } else { stream.shutdown { _ in } }
    }

    /// Ends the connection and everything that hangs on it; harmless when repeated.
    func close(resetting: Bool = false) {
        let ended = state.withValue { state -> (any ByteStream, [SessionID])? in
            guard !state.isClosed else { return nil }
            state.phase = .closed
            state.outbound.clear()
            (state.heldRest, state.messageRest, state.backlog) = ([], [], [])
            return (state.stream, state.client.followedSessions)
        }
        guard let (stream, sessions) = ended else { return }
        if resetting { stream.reset(nil) } else { stream.close(nil) }
        server.connectionClosed(self, following: sessions)
    }

    /// Turns the client away when it has not connected yet: the server is about to stop.
    func refuseConnect() {
        state.withValue { $0.client.refuseConnects() }
    }
}

// MARK: - Other carriers

extension ClientConnection.State {
    /// Notes that bytes were queued.
    mutating func noteQueued() -> ClientConnection.Queued {
        guard !isDirty else { return .more }
        isDirty = true
        return .first
    }
}

extension ClientConnection {
    /// Neither a line nor HTTP: one line that says so, then the end.
    func refuseCarrier(_ bytes: Span<UInt8>) {
        // A record of a TLS handshake begins with 22 and the major version 3.
        server.metrics.unknownCarrier(isTLS: bytes.count > 1 && bytes[0] == 22 && bytes[1] == 3)
        let error = ReplyError.badRequest(
            "the first bytes must be '{' of a JSON object a line, or an HTTP method")
        write { JSONCodec.encode(error, into: &$0) }
        linger()
    }
}

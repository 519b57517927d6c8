internal import TLS

// MARK: - Writing

extension TLSStream {
    package func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        let engine = try sender()
        guard waiting.isEmpty, writesBelow == 0 else { return 0 }
        // What was encrypted ahead is on its way now.
        var taken = min(ahead, bytes.count)
        ahead = 0
        while taken < bytes.count {
            let count = min(Self.batchBytes, bytes.count - taken)
            try send(bytes.extracting(taken..<taken + count), engine)
            guard writesBelow == 0 else {
                ahead = count
                break
            }
            taken += count
        }
        return taken
    }

    package func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void
    ) {
        do throws(UVError) {
            _ = try sender()
        } catch {
            return loop.atTurnEnd { completion(error) }
        }
        waiting.append(Waiting(bytes: bytes, start: start + ahead, completion: completion))
        ahead = 0
        // Never within this call; else the stream below tells when it has taken what is under way.
        if writesBelow == 0 { loop.atTurnEnd { [self] in pump() } }
    }

    package func shutdown(_ completion: @escaping (UVError?) -> Void) {
        if case .closed = phase {
            return loop.atTurnEnd { completion(UVError.cancelled("shutdown")) }
        }
        shutdowns.append(completion)
        if waiting.isEmpty { finishSending() }
    }

    /// The engine of a stream that can be written.
    private func sender() throws(UVError) -> TLSEngine {
        switch phase {
        case .idle, .handshaking: throw .protocolFault("the TLS handshake is not done")
        case .open:
            guard let engine, !engine.hasSaidEnd, shutdowns.isEmpty else {
                throw .protocolFault("the end was said")
            }
            return engine
        case .failed(let error): throw error
        case .closed: throw .cancelled("write")
        }
    }

    /// Encrypts plaintext and hands it to the stream below, which may take its time.
    private func send(_ plaintext: Span<UInt8>, _ engine: TLSEngine) throws(UVError) {
        do throws(TLSFault) {
            try engine.encrypt(plaintext)
        } catch {
            throw .protocolFault(error.description)
        }
        try sendOutput(of: engine)
    }

    /// Gives the number of bytes that the stream below has not taken yet.
    @discardableResult
    private func sendOutput(of engine: TLSEngine) throws(UVError) -> Int {
        var output = engine.buffers.takeOutput()
        guard !output.isEmpty else { return 0 }
        var written = 0
        if writesBelow == 0 { written = try below.tryWrite(output.span) }
        guard written < output.count else {
            engine.buffers.reuse(&output)
            return 0
        }
        writesBelow += 1
        let rest = output.count - written
        below.write(output, from: written) { [self] error in
            writesBelow -= 1
            if writesBelow == 0 { protocolBytes = 0 }
            wroteBelow(error)
        }
        return rest
    }

    /// Sends what the library says of its own accord: handshake, tickets, alerts, key updates.
    func sendProtocol(_ engine: TLSEngine) {
        guard engine.buffers.hasOutput else { return }
        do throws(UVError) {
            protocolBytes += try sendOutput(of: engine)
        } catch {
            // The read side will tell what is wrong with the connection.
            return
        }
        guard protocolBytes > Self.protocolBytesLimit else { return }
        fail(.flood, "the other side makes TLS speak and does not read")
    }

    private func wroteBelow(_ error: UVError?) {
        if let error {
            let lost = waiting
            waiting = []
            for write in lost { write.completion(error) }
            return
        }
        pump()
    }

    /// Encrypts what waits, a batch at a time, as fast as the stream below takes it.
    func pump() {
        while writesBelow == 0, let first = waiting.first {
            do throws(UVError) {
                guard case .open = phase, let engine else { throw .cancelled("write") }
                guard first.start < first.bytes.count else {
                    waiting.removeFirst()
                    first.completion(nil)
                    continue
                }
                let end = min(first.start + Self.batchBytes, first.bytes.count)
                waiting[0].start = end
                try send(first.bytes.span.extracting(first.start..<end), engine)
            } catch {
                waiting.removeFirst()
                first.completion(error)
            }
        }
        if waiting.isEmpty, writesBelow == 0, !shutdowns.isEmpty { finishSending() }
    }

    /// Says the end, behind everything that was written.
    private func finishSending() {
        let completions = shutdowns
        shutdowns = []
        if let engine {
            engine.sayEnd()
            sendProtocol(engine)
        }
        guard !completions.isEmpty else { return }
        below.shutdown { error in
            for completion in completions { completion(error) }
        }
    }
}

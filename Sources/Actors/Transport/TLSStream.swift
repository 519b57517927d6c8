internal import Coordinator
package import TLS

/// A client's bytes under TLS: plaintext for its owner, ciphertext for the stream below.
///
/// The handshake begins when the owner first reads, and until it is done nothing can be written. All counts are
/// of plaintext. Bytes count as written when the stream below has taken the ciphertext of all of them; at most
/// ``batchBytes`` and the records around them are encrypted ahead of that. So whoever was told that fewer bytes
/// were written than given goes on with the rest, by `write`, or ends the stream.
///
/// The other side's close_notify is the end. An end without one is a failure, since anybody on the way could
/// have caused it, unless this side has said its own close_notify before.
package final class TLSStream: ByteStream {
    /// What there is to count about a connection.
    package enum Report: Sendable, Equatable {
        /// The handshake is done.
        case established(TLSVersion, isResumed: Bool)
        /// TLS ended as it should not; the words are for who looks for a fault.
        case failed(TLSFailure, String)
    }

    enum Phase {
        /// Nothing has been read; next `handshaking` or `closed`.
        case idle
        /// Next `open`, `failed` or `closed`.
        case handshaking
        /// Next `failed` or `closed`.
        case open
        /// Next `closed`.
        case failed(UVError)
        case closed
    }

    /// Bytes that wait for the stream below, and who is told.
    struct Waiting {
        let bytes: [UInt8]
        var start: Int
        let completion: (UVError?) -> Void
    }

    /// The most plaintext that is encrypted before the stream below has taken what came before.
    package static let batchBytes = 4 * TLSBuffers.recordBytes
    /// Bytes of alerts, key updates and the like that may wait for the other side to read.
    static let protocolBytesLimit = 65_536

    let below: any ByteStream
    let loop: any EventLoop
    private let makeEngine: () throws(TLSFault) -> TLSEngine
    private let report: (Report) -> Void
    var engine: TLSEngine?
    var phase = Phase.idle
    private var onRead: ((borrowing UVStream.ReadEvent) -> Void)?
    private var onEstablished: ((UVError?) -> Void)?
    /// Ciphertext that came when nobody read any more; at most what one read brought.
    private var backlog: [UInt8] = []
    private var isReadingBelow = false
    private var resumesLater = false

    var waiting: [Waiting] = []
    /// Plaintext whose ciphertext the stream below has, but which does not count as written yet.
    var ahead = 0
    /// Writes that the stream below has not completed.
    var writesBelow = 0
    var protocolBytes = 0
    var shutdowns: [(UVError?) -> Void] = []

    /// Wraps a stream; `makeEngine` is called when the handshake begins.
    package init(
        over below: any ByteStream, on loop: any EventLoop,
        report: @escaping (Report) -> Void = { _ in },
        _ makeEngine: @escaping () throws(TLSFault) -> TLSEngine
    ) {
        self.below = below
        self.loop = loop
        self.report = report
        self.makeEngine = makeEngine
    }

    /// Goes on with a connection that comes from another loop.
    init(
        goingOn part: DetachedStream.Secured, over below: any ByteStream, on loop: any EventLoop,
        with buffers: TLSBuffers, report: @escaping (Report) -> Void
    ) {
        self.below = below
        self.loop = loop
        self.report = report
        makeEngine = { () throws(TLSFault) in throw .noMemory }
        engine = part.engine
        backlog = part.backlog
        phase = .open
        part.engine.use(buffers)
    }

    package var peerAddress: SocketAddress? { below.peerAddress }
    package var isTLS: Bool { true }

    /// Begins the handshake without reading; `completion` is told when plaintext can be written, or why
    /// that will never be.
    package func begin(_ completion: @escaping (UVError?) -> Void) {
        onEstablished = completion
        begin()
    }

    private func begin() {
        guard case .idle = phase else { return }
        phase = .handshaking
        do throws(TLSFault) {
            let engine = try makeEngine()
            self.engine = engine
            sendProtocol(engine)
        } catch {
            fail(.broken, "\(error)")
        }
        readBelow()
    }
}

// MARK: - Reading

extension TLSStream {
    package func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void) {
        if case .closed = phase { return }
        self.onRead = onRead
        begin()
        readBelow()
        guard !backlog.isEmpty || engine?.hasEnded == true || isFailed else { return }
        guard !resumesLater else { return }
        resumesLater = true
        // Never within this call: the owner may be in the middle of something.
        loop.atTurnEnd { [self] in
            resumesLater = false
            resume()
        }
    }

    package func stopReading() {
        onRead = nil
        guard case .handshaking = phase else { return stopBelow() }
    }

    private var isFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    private func resume() {
        if case .failed(let error) = phase { return tell(error) }
        if engine?.hasEnded == true {
            backlog = []
            onRead?(.end)
            return
        }
        guard !backlog.isEmpty else { return }
        let bytes = backlog
        backlog = []
        take(bytes.span)
    }

    private func readBelow() {
        guard !isReadingBelow, engine?.hasEnded == false else { return }
        switch phase {
        case .handshaking, .open: break
        case .idle, .failed, .closed: return
        }
        isReadingBelow = true
        // Both are gone when the stream below is closed, which its owner must do.
        below.startReading { [self] event in
            switch event {
            case .bytes(let bytes): received(bytes)
            case .end: endedBelow()
            case .failed(let error): failedBelow(error)
            }
        }
    }

    private func stopBelow() {
        guard isReadingBelow else { return }
        isReadingBelow = false
        below.stopReading()
    }

    private func received(_ bytes: Span<UInt8>) {
        guard !backlog.isEmpty else { return take(bytes) }
        backlog.append(lent: bytes)
        if onRead != nil { resume() }
    }

    /// Takes ciphertext as long as somebody reads, and keeps the rest.
    private func take(_ bytes: Span<UInt8>) {
        guard let engine else { return }
        var position = 0
        while isWanted {
            do throws(TLSFault) {
                let event = try engine.next(in: bytes, at: &position)
                sendProtocol(engine)
                switch event {
                case .needsMore: return
                case .established: established(engine)
                case .plaintext(let count):
                    let plaintext = engine.buffers.plaintext
                    let span = plaintext.span
                    onRead?(.bytes(span.extracting(0..<count)))
                case .end:
                    stopBelow()
                    onRead?(.end)
                    return
                }
            } catch {
                return failed(error, engine, bytes)
            }
        }
        switch phase {
        case .open where position < bytes.count:
            backlog.append(lent: bytes.extracting(position..<bytes.count))
        case .idle, .handshaking, .open, .failed, .closed: break
        }
    }

    private var isWanted: Bool {
        switch phase {
        case .handshaking: true
        case .open: onRead != nil
        case .idle, .failed, .closed: false
        }
    }

    private func established(_ engine: TLSEngine) {
        guard case .handshaking = phase, let version = engine.version else { return }
        phase = .open
        report(.established(version, isResumed: engine.isResumed))
        if onRead == nil { stopBelow() }
        onEstablished.take()?(nil)
    }

    /// The connection ended without a word of TLS.
    private func endedBelow() {
        switch phase {
        case .handshaking: fail(.closed, "the connection ended in the handshake")
        case .open where engine?.hasSaidEnd == true:
            stopBelow()
            onRead?(.end)
        case .open: fail(.truncated, "the connection ended without close_notify")
        case .idle, .failed, .closed: break
        }
    }

    private func failedBelow(_ error: UVError) {
        switch phase {
        case .handshaking: report(.failed(.closed, error.description))
        case .open: break
        case .idle, .failed, .closed: return
        }
        phase = .failed(error)
        tell(error)
    }
}

// MARK: - Failures

extension TLSStream {
    private func failed(_ fault: TLSFault, _ engine: TLSEngine, _ bytes: Span<UInt8>) {
        // The alert that says so; who does not read it has lost nothing.
        var last = engine.buffers.takeOutput()
        if fault == .notTLS { last = Self.answer(toPlaintext: bytes, at: loop.now) }
        if writesBelow == 0, !last.isEmpty { _ = try? below.tryWrite(last.span) }
        fail(TLSFailure(fault), fault.description)
    }

    /// Ends TLS for a reason of its own.
    func fail(_ failure: TLSFailure, _ words: String) {
        switch phase {
        case .idle, .handshaking, .open: break
        case .failed, .closed: return
        }
        let error = UVError.protocolFault(words)
        phase = .failed(error)
        report(.failed(failure, words))
        stopBelow()
        tell(error)
    }

    private func tell(_ error: UVError) {
        backlog = []
        onEstablished.take()?(error)
        let reader = onRead
        onRead = nil
        reader?(.failed(error))
    }
}

// MARK: - Ending

extension TLSStream {
    package func close(_ onClosed: (() -> Void)?) {
        if case .open = phase, writesBelow == 0, waiting.isEmpty, let engine {
            engine.sayEnd()
            let last = engine.buffers.takeOutput()
            if !last.isEmpty { _ = try? below.tryWrite(last.span) }
        }
        end()
        below.close(onClosed)
    }

    package func reset(_ onClosed: (() -> Void)?) {
        end()
        below.reset(onClosed)
    }

    package func detach() -> DetachedStream? {
        guard case .open = phase, let engine, writesBelow == 0, waiting.isEmpty, ahead == 0,
            shutdowns.isEmpty, !engine.buffers.hasOutput, let detached = below.detach()
        else { return nil }
        detached.secure(DetachedStream.Secured(engine: engine, backlog: backlog))
        phase = .closed
        onRead = nil
        backlog = []
        self.engine = nil
        isReadingBelow = false
        return detached
    }

    private func end() {
        if case .handshaking = phase {
            report(.failed(.unfinished, "the handshake was not done when the connection ended"))
        }
        phase = .closed
        onRead = nil
        onEstablished = nil
        backlog = []
        engine = nil
        isReadingBelow = false
        if !waiting.isEmpty { loop.atTurnEnd { [self] in pump() } }
    }
}

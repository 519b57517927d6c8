import Actors
import Coordinator

/// A connection of a benchmark: lean, since it is not what is to be measured.
///
/// Confined to its loop.
final class BenchConnection {
    /// Where the daemon is.
    struct Target: Sendable {
        var address: ListenAddress
        var tls: TLSTrust?
        var carrier: BenchCarrier
    }

    /// What a connection tells its owner.
    enum Event {
        /// Requests can be sent.
        case opened
        case answer(id: UInt32, refusal: String?)
        case event(BenchMark)
        /// The connection ended without the owner's wish; the last event.
        case ended(String)
    }

    private let loop: UVEventLoop
    private let target: Target
    private var handler: ((Event) -> Void)?
    private var stream: (any ByteStream)?
    /// The answer to the handshake so far; nil behind it.
    private var head: [UInt8]?
    private var framer = LineFramer(maximumBytes: BenchConnection.maximumBytes)
    private var frames = WebSocketReader(
        from: .server, maximumBytes: BenchConnection.maximumBytes)
    private var output: [UInt8] = []
    private var isFlushing = false
    private var isWriting = false

    /// Bytes of one message that are accepted.
    private static let maximumBytes = 8 << 20
    private static let maximumHead = 16_384

    /// Starts to connect; `handler` hears what comes of it, later.
    init(loop: UVEventLoop, target: Target, handler: @escaping (Event) -> Void) {
        self.loop = loop
        self.target = target
        self.handler = handler
        let plain = UVStream(on: loop)
        stream = plain
        plain.connect(host: target.address.numericHost, port: target.address.port) {
            [weak self] error in
            guard let self, self.handler != nil else { return }
            if let error { return end("cannot connect: \(error.description)") }
            guard let tls = target.tls else { return connected(plain) }
            let secured = tls.wrap(plain)
            stream = secured
            secured.begin { [weak self] error in
                if let error { return self?.end("cannot connect: \(error.call)") ?? () }
                self?.connected(secured)
            }
        }
    }

    /// Sends a request; what is sent during one turn of the loop leaves in one write.
    func send(_ request: BenchRequest, id: UInt32) {
        send(target.carrier.bytes(of: request, id: id))
    }

    /// Ends the connection; no event comes any more.
    func close() {
        handler = nil
        stream?.close(nil)
        stream = nil
    }

    private func end(_ why: String) {
        let handler = handler
        close()
        handler?(.ended(why))
    }

    private func connected(_ stream: any ByteStream) {
        stream.startReading { [weak self] event in
            switch event {
            case .bytes(let bytes): self?.received(bytes)
            case .end: self?.end("connection lost: the server closed it")
            case .failed(let error): self?.end("connection lost: \(error.description)")
            }
        }
        guard let handshake = target.carrier.handshake(host: "\(target.address)") else {
            handler?(.opened)
            return
        }
        head = []
        send(Array(handshake.utf8))
    }

    // MARK: Reading

    private func received(_ bytes: Span<UInt8>) {
        if head != nil { return takeHead(bytes) }
        guard target.carrier == .line else { return takeFrames(bytes) }
        let fits = framer.consume(bytes) { line in
            take(BenchMessage(json: line))
            return handler != nil
        }
        if !fits { end("a line of more than \(Self.maximumBytes) bytes") }
    }

    /// The answer to the handshake, behind which nothing comes that was not asked for.
    private func takeHead(_ bytes: Span<UInt8>) {
        var all = head ?? []
        for index in bytes.indices { all.append(bytes[index]) }
        guard all.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] else {
            head = all
            if all.count > Self.maximumHead { end("no answer to the WebSocket handshake") }
            return
        }
        let text = String(decoding: all, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 101 ") else {
            return end("no WebSocket: \(text.prefix { !$0.isNewline })")
        }
        head = nil
        handler?(.opened)
    }

    private func takeFrames(_ bytes: Span<UInt8>) {
        var position = 0
        do throws(WebSocketFault) {
            while handler != nil, let event = try frames.next(in: bytes, at: &position) {
                switch event {
                case .text: takeText(frames.message.span)
                case .binary:
                    let isWhole = BenchProtobuf.messages(in: frames.message.span) { message in
                        take(BenchMessage(protobuf: message))
                    }
                    if !isWhole { end("not the coordd protocol: no Protobuf") }
                case .ping(let payload):
                    send(BenchCarrier.frame(BenchCarrier.pongOpcode, payload))
                case .pong: break
                case .close(let code, let reason):
                    end("disconnected by the server: \(code?.rawValue ?? 1005) \(reason)")
                }
            }
        } catch {
            end("not a WebSocket: \(error.reason)")
        }
    }

    /// The messages of a text frame are its lines.
    private func takeText(_ text: Span<UInt8>) {
        var start = 0
        for index in text.indices where text[index] == UInt8(ascii: "\n") {
            take(BenchMessage(json: text.extracting(start..<index)))
            start = index + 1
        }
        if start < text.count { take(BenchMessage(json: text.extracting(start..<text.count))) }
    }

    private func take(_ message: BenchMessage) {
        switch message {
        case .ping: send(target.carrier.pong)
        case .answer(let id, let refusal): handler?(.answer(id: id, refusal: refusal))
        case .event(let mark): handler?(.event(mark))
        case .end(let why): end(why)
        case .other: break
        }
    }

    // MARK: Writing

    private func send(_ bytes: [UInt8]) {
        output += bytes
        guard !isFlushing else { return }
        isFlushing = true
        loop.atTurnEnd { [weak self] in
            self?.isFlushing = false
            self?.flush()
        }
    }

    private func flush() {
        guard let stream, !isWriting, !output.isEmpty else { return }
        let pending = output
        output = []
        do throws(UVError) {
            let written = try stream.tryWrite(pending.span)
            guard written < pending.count else { return }
            isWriting = true
            stream.write(pending, from: written) { [weak self] error in
                self?.isWriting = false
                if let error {
                    self?.end("connection lost: \(error.description)")
                } else {
                    self?.flush()
                }
            }
        } catch {
            end("connection lost: \(error.description)")
        }
    }
}

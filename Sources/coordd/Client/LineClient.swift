package import Actors
package import Coordinator

/// A client of the line protocol: one TCP connection, commands with answers, pushes, pings.
///
/// Confined to its loop; whether to come back after an end is the owner's choice.
package final class LineClient: Link {
    private let loop: UVEventLoop
    private let device: String
    private let token: String?
    private var handler: ((LinkEvent) -> Void)?
    private var stream: (any ByteStream)?
    private var framer = LineFramer(maximumBytes: LineClient.maximumLine)
    private var output: [UInt8] = []
    private var isFlushing = false
    private var isWriting = false
    private var newestID: UInt32 = 0
    private var unanswered: [UInt32: (Result<Reply.Body, RequestFailure>) -> Void] = [:]
    private var watchdog: (any LoopTimer)?
    private var silenceMilliseconds: Int64 = 0
    private var isReading = true
    private var isConnected = false

    /// Bytes of one line that are accepted; a snapshot or a recovered tail may be long.
    package static let maximumLine = 8 << 20
    /// How long a server may take until it answers `connect`.
    private static let connectMilliseconds: Int64 = 10_000
    /// How much later than announced a ping may come (protocol facts: Centrifugal, server pings).
    private static let pingDelayMilliseconds: Int64 = 10_000

    /// Starts to connect to `HOST:PORT` as `device`, with a token for a daemon that wants one and
    /// under TLS with `tls`; `handler` hears what comes of it, later.
    package init(
        loop: UVEventLoop, address: String, device: String, token: String? = nil,
        tls: TLSTrust? = nil,
        handler: @escaping (LinkEvent) -> Void
    ) {
        self.loop = loop
        self.device = device
        self.token = token
        self.handler = handler
        watch(for: Self.connectMilliseconds, .unreachable("no answer within 10 s"))
        guard let target = ListenAddress(address) else {
            // The owner has no reference to this object yet and could not make sense of an end.
            loop.atTurnEnd { [weak self] in
                self?.end(.unreachable("\(address) is not \(ListenAddress.allowed)"))
            }
            return
        }
        let stream = UVStream(on: loop)
        self.stream = stream
        stream.connect(host: target.numericHost, port: target.port) { [weak self] error in
            if let error {
                self?.end(.unreachable(error.description))
            } else if let tls {
                self?.secure(tls.wrap(stream))
            } else {
                self?.connected()
            }
        }
    }

    private func secure(_ stream: TLSStream) {
        guard handler != nil else { return stream.close(nil) }
        self.stream = stream
        stream.begin { [weak self] error in
            if let error {
                self?.end(.unreachable(error.call))
            } else {
                self?.connected()
            }
        }
    }

    package func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (Result<Reply.Body, RequestFailure>) -> Void
    ) {
        guard handler != nil else { return then(.failure(.lost)) }
        newestID += 1
        unanswered[newestID] = then
        var line: [UInt8] = []
        JSONCodec.encode(Coordinator.Command(id: newestID, request: request), into: &line)
        send(line)
    }

    package func close() {
        guard handler != nil else { return }
        handler = nil
        release()
    }

    package func setReading(_ reads: Bool) {
        isReading = reads
        guard isConnected else { return }
        if reads { startReading() } else { stream?.stopReading() }
    }

    private func release() {
        watchdog?.cancel()
        watchdog = nil
        stream?.close(nil)
        stream = nil
        let lost = unanswered.sorted { $0.key < $1.key }
        unanswered = [:]
        for (_, then) in lost { then(.failure(.lost)) }
    }

    /// The connection is over without the owner's wish.
    private func end(_ end: LinkEnd) {
        guard let handler else { return }
        self.handler = nil
        release()
        handler(.ended(end))
    }

    private func connected() {
        guard handler != nil else { return }
        isConnected = true
        if isReading { startReading() }
        let connect = Coordinator.Command.Connect(
            token: token, data: JSONDocument(root: ["device": .string(device)]), name: "coordd",
            version: Version.text)
        request(.connect(connect)) { [weak self] result in
            switch result {
            case .success(.connect(let reply)): self?.opened(reply)
            case .success: self?.end(.nonsense("connect has another kind of reply"))
            case .failure(.refused(let error)): self?.end(.refused(error))
            case .failure(.lost): break
            }
        }
    }

    private func opened(_ reply: Reply.Connect) {
        watchdog?.cancel()
        watchdog = nil
        silenceMilliseconds =
            reply.ping > 0 ? Int64(reply.ping) * 1000 + Self.pingDelayMilliseconds : 0
        watchForPing()
        handler?(.opened(reply))
    }

    private func watchForPing() {
        guard silenceMilliseconds > 0 else { return }
        watch(for: silenceMilliseconds, .lost("no ping"))
    }

    private func watch(for milliseconds: Int64, _ end: LinkEnd) {
        watchdog = loop.schedule(afterMilliseconds: milliseconds) { [weak self] in
            self?.end(end)
        }
    }

    private func startReading() {
        stream?.startReading { [weak self] event in
            switch event {
            case .bytes(let bytes): self?.received(bytes)
            case .end: self?.end(.lost("the server closed it"))
            case .failed(let error): self?.end(.lost(error.description))
            }
        }
    }

    private func received(_ bytes: Span<UInt8>) {
        let fits = framer.consume(bytes) { line in
            received(line: line)
            return handler != nil
        }
        if !fits { end(.nonsense("a line of more than \(Self.maximumLine) bytes")) }
    }

    private func received(line: Span<UInt8>) {
        do throws(ServerMessageFault) {
            switch try ServerMessage(line: line) {
            case .ping:
                watchForPing()
                send(JSONCodec.ping)
            case .reply(let reply):
                guard let then = unanswered.removeValue(forKey: reply.id) else {
                    return end(.nonsense("a reply to \(reply.id), which was not asked"))
                }
                if case .error(let error) = reply.body {
                    then(.failure(.refused(error)))
                } else {
                    then(.success(reply.body))
                }
            case .push(.disconnect(let disconnect)): end(.disconnected(disconnect))
            case .push(let push): handler?(.push(push))
            case .error(let error): end(.refused(error))
            case .unknown: break
            }
        } catch {
            end(.nonsense(error.description))
        }
    }

    private func send(_ bytes: [UInt8]) {
        output += bytes
        guard !isFlushing else { return }
        isFlushing = true
        // What is said during one turn of the loop leaves in one write.
        loop.atTurnEnd { [weak self] in
            self?.isFlushing = false
            self?.flush()
        }
    }

    private func flush() {
        guard let stream, isConnected, !isWriting, !output.isEmpty else { return }
        let pending = output
        output = []
        do throws(UVError) {
            let written = try stream.tryWrite(pending.span)
            guard written < pending.count else { return }
            isWriting = true
            stream.write(pending, from: written) { [weak self] error in
                self?.isWriting = false
                if let error {
                    self?.end(.lost(error.description))
                } else {
                    self?.flush()
                }
            }
        } catch {
            end(.lost(error.description))
        }
    }
}

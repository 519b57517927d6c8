import Actors
import Coordinator
import TLS
import TestSupport
import coordd

/// A client's connection over any carrier, which keeps every message as the line that it is in JSON.
///
/// It reads with codecs that share nothing with the server's. Confined to its loop.
final class CarrierLink: Link {
    private let kind: CarrierKind
    private let device: String
    private var handler: ((LinkEvent) -> Void)?
    private let stream: any ByteStream
    private var head: [UInt8]? = []
    private var framer = LineFramer(maximumBytes: 1 << 24)
    private var frames = WebSocketReader(from: .server, maximumBytes: 1 << 24)
    private var newestID: UInt32 = 0
    private var unanswered: [UInt32: (Result<Reply.Body, RequestFailure>) -> Void] = [:]
    /// What the server said, pings left out.
    private(set) var heard: [String] = []

    /// Connects to a server as `device`; `handler` hears what comes of it, later.
    init(
        _ kind: CarrierKind, to server: TestServer, trusting trust: TLSContext, device: String,
        handler: @escaping (LinkEvent) -> Void
    ) {
        self.kind = kind
        self.device = device
        self.handler = handler
        let socket = UVStream(on: server.loop)
        let tls: TLSStream? =
            if kind.isTLS {
                TLSStream(over: socket, on: server.loop) { () throws(TLSFault) in
                    try TLSEngine(client: trust, expecting: "localhost", buffers: TLSBuffers())
                }
            } else { nil }
        stream = tls ?? socket
        let port = kind.isTLS ? server.tlsPort : server.port
        socket.connect(host: "127.0.0.1", port: port) { [weak self] error in
            guard let self, self.handler != nil else { return }
            if let error { return self.end(.unreachable(error.description)) }
            guard let tls else { return self.connected() }
            tls.begin { [weak self] error in
                guard let self, self.handler != nil else { return }
                if let error { return self.end(.lost("TLS: \(error)")) }
                self.connected()
            }
        }
    }

    func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (Result<Reply.Body, RequestFailure>) -> Void
    ) {
        guard handler != nil else { return then(.failure(.lost)) }
        newestID += 1
        unanswered[newestID] = then
        send(Coordinator.Command(id: newestID, request: request))
    }

    func close() {
        guard handler != nil else { return }
        handler = nil
        stream.close(nil)
        let lost = unanswered.values
        unanswered = [:]
        for then in lost { then(.failure(.lost)) }
    }

    func setReading(_ reads: Bool) {
        if reads { startReading() } else { stream.stopReading() }
    }

    private func end(_ end: LinkEnd) {
        guard let handler else { return }
        close()
        handler(.ended(end))
    }

    private func connected() {
        startReading()
        if let handshake = kind.handshake {
            write(Array(handshake.utf8))
        } else {
            head = nil
            introduce()
        }
    }

    private func introduce() {
        let data = JSONDocument(root: ["device": .string(device)])
        request(.connect(.init(data: data, name: "test", version: "1"))) { [weak self] result in
            switch result {
            case .success(.connect(let reply)): self?.handler?(.opened(reply))
            case .success: self?.end(.nonsense("connect has another kind of reply"))
            case .failure(.refused(let error)): self?.end(.refused(error))
            case .failure(.lost): break
            }
        }
    }

    // MARK: Writing

    private func send(_ command: Coordinator.Command) {
        var line: [UInt8] = []
        JSONCodec.encode(command, into: &line)
        switch kind.speech {
        case .line: write(line)
        case .webSocketJSON: write(RawWebSocket.frame(0x81, line.dropLast()))
        case .webSocketProtobuf: write(RawWebSocket.frame(0x82, ProtobufClient.encode(command)))
        }
    }

    private func write(_ bytes: [UInt8]) {
        stream.write(bytes, from: 0) { [weak self] error in
            if let error { self?.end(.lost(error.description)) }
        }
    }

    // MARK: Reading

    private func startReading() {
        stream.startReading { [weak self] event in
            switch event {
            case .bytes(let bytes): self?.received(Array(copying: bytes))
            case .end: self?.end(.lost("the server closed it"))
            case .failed(let error): self?.end(.lost(error.description))
            }
        }
    }

    private func received(_ bytes: [UInt8]) {
        guard head == nil else { return takeHead(bytes) }
        guard kind.speech == .line else { return takeFrames(bytes) }
        _ = framer.consume(bytes.span) { line in
            takeText(Array(copying: line))
            return handler != nil
        }
    }

    /// The answer to the handshake, behind which the first frame may stand.
    private func takeHead(_ bytes: [UInt8]) {
        let all = (head ?? []) + bytes
        head = all
        let end = Array("\r\n\r\n".utf8)
        guard let index = all.indices.first(where: { all[$0...].starts(with: end) }) else { return }
        let text = String(decoding: all[..<index], as: UTF8.self)
        let wanted = "Sec-WebSocket-Protocol: centrifuge-protobuf"
        guard text.hasPrefix("HTTP/1.1 101 "),
            text.contains(wanted) == (kind.speech == .webSocketProtobuf)
        else { return self.end(.nonsense(text)) }
        head = nil
        introduce()
        takeFrames(Array(all[(index + end.count)...]))
    }

    private func takeFrames(_ bytes: [UInt8]) {
        var position = 0
        do throws(WebSocketFault) {
            while handler != nil, let event = try frames.next(in: bytes.span, at: &position) {
                let message = frames.message
                switch (event, kind.speech) {
                case (.text, .webSocketJSON): takeText(message)
                case (.binary, .webSocketProtobuf): takeBinary(message)
                case (.close(let code, let reason), _):
                    let code = UInt32(code?.rawValue ?? 1005)
                    let disconnect = Disconnect(code: code, reason: reason)
                    note { JSONCodec.encode(Push.disconnect(disconnect), into: &$0) }
                    end(.disconnected(disconnect))
                default: end(.nonsense("\(event)"))
                }
            }
        } catch {
            end(.nonsense(error.reason))
        }
    }

    private func takeText(_ text: [UInt8]) {
        do throws(ServerMessageFault) {
            let message = try ServerMessage(line: text.span)
            if message != .ping { heard.append(String(decoding: text, as: UTF8.self)) }
            switch message {
            case .ping: pong()
            case .reply(let reply): take(reply)
            case .push(.disconnect(let disconnect)): end(.disconnected(disconnect))
            case .push(let push): handler?(.push(push))
            case .error(let error): end(.refused(error))
            case .unknown: end(.nonsense(String(decoding: text, as: UTF8.self)))
            }
        } catch {
            end(.nonsense(error.description))
        }
    }

    private func takeBinary(_ frame: [UInt8]) {
        do throws(ProtobufClient.Fault) {
            for message in try ProtobufClient.decode(frame) {
                switch message {
                case .ping: pong()
                case .reply(let reply):
                    note { JSONCodec.encode(reply, into: &$0) }
                    take(reply)
                case .push(let push):
                    note { JSONCodec.encode(push, into: &$0) }
                    handler?(.push(push))
                }
            }
        } catch {
            end(.nonsense(error.description))
        }
    }

    /// Keeps what was said in another form as its line.
    private func note(_ encode: (inout [UInt8]) -> Void) {
        var line: [UInt8] = []
        encode(&line)
        heard.append(String(decoding: line.dropLast(), as: UTF8.self))
    }

    private func pong() {
        send(Coordinator.Command(id: 0, request: .pong))
    }

    private func take(_ reply: Reply) {
        guard let then = unanswered.removeValue(forKey: reply.id) else {
            return end(.nonsense("a reply to \(reply.id), which was not asked"))
        }
        if case .error(let error) = reply.body {
            then(.failure(.refused(error)))
        } else {
            then(.success(reply.body))
        }
    }
}

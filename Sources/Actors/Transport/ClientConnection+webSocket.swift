internal import Coordinator

// MARK: - WebSocket

extension HTTPRequest {
    /// Where WebSockets are served (contract: protocol, Carriers).
    static let webSocketPath = "/connection/websocket"

    /// Whether the connection is asked to go on as a WebSocket, perhaps among other protocols
    /// (RFC 6455, section 4.2.1).
    var isWebSocket: Bool {
        path == Self.webSocketPath && upgrade != nil
            && fields.list("upgrade").contains("websocket")
    }
}

extension ClientConnection {
    /// Goes on as a WebSocket, whose first bytes may be there already, or says why not.
    func upgrade(_ request: HTTPRequest, _ rest: Span<UInt8>) {
        let settings = server.settings
        guard !server.isDraining else {
            return finish(
                .problem(.serviceUnavailable, "the server is shutting down", temporary: true))
        }
        if let refusal = settings.access.webSocketRefusal(of: request) { return finish(refusal) }
        let handshake: WebSocketHandshake
        do throws(WebSocketHandshake.Refusal) {
            handshake = try WebSocketHandshake(request)
        } catch {
            return finish(error.response)
        }
        let now = server.loop.turnTime
        state.withValue { state in
            state.http = nil
            state.carrier = .webSocket
            state.encoding =
                switch handshake.encoding {
                case .json: .webSocketJSON
                case .protobuf: .webSocketProtobuf
                }
            state.frames = WebSocketReader(from: .client, maximumBytes: settings.messageBytes)
            state.client.begin(at: now)
        }
        write { handshake.encode(into: &$0) }
        takeFrames(rest)
    }

    /// Reads frames until the connection takes no more.
    func takeFrames(_ bytes: Span<UInt8>) {
        // The reader is taken out meanwhile: an answer may come back here before it ends.
        guard var reader = state.withValue({ $0.frames.take() }) else { return }
        var position = 0
        do throws(WebSocketFault) {
            while state.withValue({ $0.takesMore }),
                let event = try reader.next(in: bytes, at: &position)
            {
                take(event, reader.message)
            }
        } catch {
            take(.webSocketFault(error))
        }
        state.withValue { state in
            state.frames = reader
            state.keep(bytes.extracting(position..<bytes.count))
        }
        pauseIfNeeded()
    }

    private func take(_ event: WebSocketReader.Event, _ message: [UInt8]) {
        switch event {
        case .text where server.settings.echoes:
            write { WebSocketWriter.frame(.text, message, into: &$0) }
        case .binary where server.settings.echoes:
            write { WebSocketWriter.frame(.binary, message, into: &$0) }
        case .text:
            guard encoding == .webSocketJSON else { return take(.disconnect(.badRequest)) }
            takeText(message)
        case .binary:
            guard encoding == .webSocketProtobuf else { return take(.disconnect(.badRequest)) }
            takeBinary(message)
        case .ping(let payload):
            write { WebSocketWriter.frame(.pong, payload, into: &$0) }
        case .pong: break
        case .close(let code, _): take(.close(code))
        }
    }

    /// Takes what is left of a message.
    func takeMessage(_ message: [UInt8]) {
        if encoding == .webSocketJSON { takeText(message) } else { takeBinary(message) }
    }

    /// JSON objects, each but the last with a line's end behind it.
    private func takeText(_ message: [UInt8]) {
        let end = message.last == UInt8(ascii: "\n") ? message.count - 1 : message.count
        var start = 0
        while start <= end, goesOn(with: message, from: start) {
            let stop = message[start..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end
            takeLine(message.span.extracting(start..<stop))
            start = stop + 1
        }
    }

    /// Protobuf messages, each behind its length.
    private func takeBinary(_ message: [UInt8]) {
        var frame = ProtobufFrame()
        // An empty message is no command, as an empty line is none.
        if message.isEmpty { return take(.disconnect(.badRequest, detail: "an empty message")) }
        while goesOn(with: message, from: frame.position) {
            do throws(CommandFault) {
                guard let range = try frame.next(in: message.span) else { return }
                take(try ProtobufCodec.decode(message.span.extracting(range)))
            } catch {
                take(error)
            }
        }
    }

    /// Whether the next part of a message is taken now; if not, the rest is kept for later.
    private func goesOn(with message: [UInt8], from start: Int) -> Bool {
        state.withValue { state in
            if !state.takesMore, state.isOpen { state.messageRest = Array(message[start...]) }
            return state.takesMore
        }
    }

    /// The client ends it.
    func closed(by client: WebSocketCode?) {
        guard end(with: .close(client, reason: "")) else { return }
        finishIfAnswered()
    }

    /// Frames that break the protocol, after the commands before them were answered.
    func fail(_ fault: WebSocketFault) {
        server.log.debug(
            "bad frame", ["connection": .integer(number), "detail": .string(fault.reason)])
        guard end(with: .close(fault.code, reason: fault.reason)) else { return }
        server.metrics.disconnected(
            Disconnect(code: UInt32(fault.code.rawValue), reason: fault.reason))
        finishIfAnswered()
    }
}

/// Reads the frames that one side sends, and puts messages together (RFC 6455, section 5).
///
/// What a frame may be is judged from its head, and a message's length before its bytes are stored.
/// After a fault nothing more may be read.
package struct WebSocketReader: Sendable {
    /// What came.
    package enum Event: Sendable, Equatable {
        /// A text that is UTF-8; its bytes are in ``message`` until the next call.
        case text
        /// A message of bytes; they are in ``message`` until the next call.
        case binary
        /// Wants a pong with the same bytes.
        case ping([UInt8])
        /// Answers a ping, or nobody.
        case pong([UInt8])
        /// The other side ends; without a code when it sent none.
        case close(WebSocketCode?, reason: String)
    }

    /// Which side sends what is read: clients mask, servers do not (RFC 6455, section 5.1).
    package enum Sender: Sendable {
        case client
        case server
    }

    private let maximumBytes: Int
    private let sender: Sender
    /// The beginning of a head that was cut.
    private var pending: [UInt8] = []
    /// The frame under way and how much of its payload was taken.
    private var frame: (head: WebSocketHead, taken: Int)?
    /// The kind of the message under way; nil between messages.
    private var kind: WebSocketOpcode?
    private var control: [UInt8] = []
    private var text = UTF8Check()
    private var isDelivered = false
    /// Frames without payload in the message under way.
    private var emptyFrames = 0
    /// The bytes of the message that was told last.
    package private(set) var message: [UInt8] = []

    /// Bytes of a message whose memory is kept for the next one.
    private static let keptBytes = 4096

    /// Frames without payload that one message may have besides its last one.
    private static let emptyFrameLimit = 64

    /// Reads frames of `sender`; a message may have `maximumBytes`.
    package init(from sender: Sender, maximumBytes: Int) {
        self.sender = sender
        self.maximumBytes = maximumBytes
    }

    /// Bytes that are kept for what is not complete.
    package var pendingCount: Int { pending.count + message.count + control.count }

    /// Reads on from `position`, which moves behind what was read; nil when all bytes are read.
    ///
    /// - Throws: ``WebSocketFault`` when the bytes break the protocol.
    package mutating func next(
        in bytes: Span<UInt8>, at position: inout Int
    ) throws(WebSocketFault) -> Event? {
        forgetDelivered()
        while true {
            guard let (head, taken) = frame else {
                guard try takeHead(bytes, &position) else { return nil }
                continue
            }
            let count = min(head.count - taken, bytes.count - position)
            let part = bytes.extracting(position..<position + count)
            position += count
            try take(part, of: head, from: taken)
            guard taken + count == head.count else {
                frame = (head, taken + count)
                return nil
            }
            frame = nil
            if let event = try end(head) { return event }
        }
    }

    /// Frees what nobody will ask for any more.
    private mutating func forgetDelivered() {
        guard isDelivered else { return }
        isDelivered = false
        message.removeAll(keepingCapacity: message.capacity <= Self.keptBytes)
    }

    /// Whether a whole head was there.
    private mutating func takeHead(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketFault) -> Bool {
        let reading: WebSocketHead.Reading
        let kept = pending.count
        if pending.isEmpty {
            reading = try WebSocketHead.read(bytes.extracting(position..<bytes.count))
        } else {
            let more = min(WebSocketHead.maximumBytes - kept, bytes.count - position)
            pending.append(lent: bytes.extracting(position..<position + more))
            reading = try WebSocketHead.read(pending.span)
        }
        switch reading {
        case .needsMore:
            if kept == 0 { pending.append(lent: bytes.extracting(position..<bytes.count)) }
            position = bytes.count
            return false
        case .head(let head, let byteCount):
            position += byteCount - kept
            pending.removeAll(keepingCapacity: true)
            try admit(head)
            return true
        }
    }

    private mutating func admit(_ head: WebSocketHead) throws(WebSocketFault) {
        switch (sender, head.mask) {
        case (.client, nil): throw .protocolError("a client's frame without a mask")
        case (.server, _?): throw .protocolError("a server's frame with a mask")
        case (.client, _?), (.server, nil): break
        }
        switch head.opcode {
        case .continuation:
            guard kind != nil else { throw .protocolError("a continuation of nothing") }
            if head.count == 0, !head.isFinal { try countEmptyFrame() }
        case .text, .binary:
            guard kind == nil else {
                throw .protocolError("a new message before the end of the one under way")
            }
            kind = head.opcode
            text = UTF8Check()
            emptyFrames = 0
        case .close, .ping, .pong: break
        }
        guard head.opcode.isControl || head.count <= maximumBytes - message.count else {
            throw .tooBig(maximumBytes)
        }
        frame = (head, 0)
    }

    /// They cost work and bring a message no nearer to its end.
    private mutating func countEmptyFrame() throws(WebSocketFault) {
        emptyFrames += 1
        guard emptyFrames <= Self.emptyFrameLimit else { throw .emptyFrames(Self.emptyFrameLimit) }
    }

    private mutating func take(
        _ part: Span<UInt8>, of head: WebSocketHead, from taken: Int
    ) throws(WebSocketFault) {
        guard !part.isEmpty else { return }
        if head.opcode.isControl {
            control.append(part, unmaskedWith: head.mask, from: taken)
            return
        }
        let start = message.count
        message.append(part, unmaskedWith: head.mask, from: taken)
        guard kind == .text else { return }
        var check = text
        let isText = check.take(message.span.extracting(start..<message.count))
        text = check
        guard isText else { throw .notUTF8 }
    }

    private mutating func end(_ head: WebSocketHead) throws(WebSocketFault) -> Event? {
        switch head.opcode {
        case .continuation, .text, .binary:
            guard head.isFinal, let kind else { return nil }
            self.kind = nil
            isDelivered = true
            guard kind == .text else { return .binary }
            guard text.isWhole else { throw .notUTF8 }
            return .text
        case .ping: return .ping(takeControl())
        case .pong: return .pong(takeControl())
        case .close: return try close(takeControl())
        }
    }

    private mutating func takeControl() -> [UInt8] {
        defer { control = [] }
        return control
    }

    private func close(_ payload: [UInt8]) throws(WebSocketFault) -> Event {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { throw .protocolError("a close frame of one byte") }
        let code = WebSocketCode(UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else {
            throw .protocolError("the close code \(code.rawValue), which nobody may send")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .notUTF8 }
        return .close(code, reason: reason)
    }
}

extension [UInt8] {
    /// Adds bytes that are only lent.
    fileprivate mutating func append(lent bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Adds bytes of a frame's payload without their mask, the first of them the one at `offset`.
    fileprivate mutating func append(
        _ bytes: Span<UInt8>, unmaskedWith mask: UInt32?, from offset: Int
    ) {
        let start = count
        append(lent: bytes)
        guard let mask else { return }
        // The key as it lies over eight bytes that begin at `offset`.
        let shift = UInt32(offset & 3) * 8
        let turned = shift == 0 ? mask : mask >> shift | mask << (32 - shift)
        let wide = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
        unsafe withUnsafeMutableBytes { all in
            var index = start
            while index + 8 <= all.count {
                // In bounds by the line above.
                let word = unsafe all.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                unsafe all.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            var key = turned
            while index < all.count {
                unsafe all[index] ^= UInt8(truncatingIfNeeded: key)
                key = key >> 8 | key << 24
                index += 1
            }
        }
    }
}

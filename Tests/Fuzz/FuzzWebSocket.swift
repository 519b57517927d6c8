// The entry of a libFuzzer run over the reader of WebSocket frames. Built by Scripts/fuzz.sh together
// with the sources it is about.

/// Feeds one input, whole and in pieces; the first byte says how long the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocket(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    for sender in [WebSocketReader.Sender.client, .server] {
        var whole = FuzzedFrames(sender)
        whole.receive(input.span)
        var cut = FuzzedFrames(sender)
        let step = max(1, Int(first))
        for begin in stride(from: 0, to: input.count, by: step) {
            cut.receive(input.span.extracting(begin..<min(begin + step, input.count)))
        }
        precondition(whole.messages == cut.messages, "the cuts change the messages")
        precondition(whole.fault == cut.fault, "the cuts change the fault")
    }
    return 0
}

/// One side that reads until the first fault.
private struct FuzzedFrames {
    private static let limit = 512

    private var reader: WebSocketReader
    private(set) var messages: [[UInt8]] = []
    private(set) var fault: WebSocketFault?

    init(_ sender: WebSocketReader.Sender) {
        reader = WebSocketReader(from: sender, maximumBytes: Self.limit)
    }

    mutating func receive(_ bytes: Span<UInt8>) {
        guard fault == nil else { return }
        var position = 0
        do throws(WebSocketFault) {
            while let event = try reader.next(in: bytes, at: &position) {
                precondition(position <= bytes.count)
                take(event)
            }
            precondition(position == bytes.count, "bytes are left over")
        } catch {
            fault = error
            precondition(error.code.mayBeSent && error.reason.utf8.count <= 123)
        }
        // A message, a control frame and a head that was cut.
        precondition(reader.pendingCount <= Self.limit + 125 + 14)
    }

    private mutating func take(_ event: WebSocketReader.Event) {
        switch event {
        case .text:
            let text = String(validating: reader.message, as: UTF8.self)
            precondition(text != nil, "a text that is not UTF-8")
            messages.append(reader.message)
        case .binary: messages.append(reader.message)
        case .ping(let bytes), .pong(let bytes):
            precondition(bytes.count <= 125)
            messages.append(bytes)
        case .close(let code, let reason):
            precondition(code?.mayBeSent ?? true)
            messages.append(Array(reason.utf8))
        }
    }
}

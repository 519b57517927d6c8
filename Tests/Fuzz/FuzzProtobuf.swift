// The entry of a libFuzzer run over the Protobuf decoder, and over the encoder with what came out.
// Built by Scripts/fuzz.sh together with the sources it is about.

/// Feeds one input as the messages of one frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProtobuf(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var frame = ProtobufFrame()
    do throws(CommandFault) {
        while let range = try frame.next(in: bytes.span) {
            precondition(range.lowerBound >= 1 && range.upperBound <= bytes.count)
            take(bytes.span.extracting(range))
        }
    } catch {
        guard case .disconnect = error else { preconditionFailure("a frame has no id") }
    }
    return 0
}

/// Decodes one command and writes what it holds into answers, whose lengths must be right.
private func take(_ message: Span<UInt8>) {
    let command: Command
    do throws(CommandFault) {
        command = try ProtobufCodec.decode(message)
    } catch {
        if case .reply(let id, let error) = error {
            precondition(id > 0)
            check { ProtobufCodec.encode(Reply(id: id, body: .error(error)), into: &$0) }
        }
        return
    }
    var texts = ["session:a"]
    var payloads: [[UInt8]] = []
    switch command.request {
    case .connect(let request):
        texts += [request.token, request.name, request.version].compactMap { $0 }
        payloads += [request.data].compactMap { $0 }.map { JSONWriter.bytes(of: $0.root) }
    case .subscribe(let request): texts.append(request.channel)
    case .publish(let channel, let data):
        texts.append(channel)
        payloads.append(JSONWriter.bytes(of: data.root))
    case .unsubscribe(let channel), .presence(let channel), .presenceStats(let channel):
        texts.append(channel)
    case .subRefresh(let channel, let token): texts += [channel, token ?? ""]
    case .refresh(let token): texts.append(token ?? "")
    case .history(let request): texts.append(request.channel)
    case .rpc(let method, let data):
        texts.append(method)
        if let data { payloads.append(JSONWriter.bytes(of: data.root)) }
    case .send, .ping, .pong: break
    }
    for text in texts {
        for data in payloads + [[]] {
            let publication = Publication(offset: UInt64(command.id), data: data)
            check { ProtobufCodec.encode(.publication(channel: text, publication), into: &$0) }
            let result = Reply.Subscribe(
                position: StreamPosition(epoch: text, offset: 1), publications: [publication])
            check { ProtobufCodec.encode(Reply(id: 1, body: .subscribe(result)), into: &$0) }
        }
    }
}

/// What was written is one message, as long as it says.
private func check(_ write: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = [9]
    write(&bytes)
    precondition(bytes.first == 9, "what was there is changed")
    let written = Array(bytes.dropFirst())
    var frame = ProtobufFrame()
    let range = try? frame.next(in: written.span)
    precondition(range?.upperBound == written.count, "the length is wrong")
    let rest = try? frame.next(in: written.span)
    precondition(rest == nil)
}

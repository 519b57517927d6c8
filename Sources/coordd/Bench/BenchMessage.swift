import Coordinator

/// What a server says, as far as a benchmark wants to know.
package enum BenchMessage: Sendable, Equatable {
    /// To be answered with the same.
    case ping
    /// A request is answered; with words when it is refused.
    case answer(id: UInt32, refusal: String?)
    /// An event has arrived.
    case event(BenchMark)
    /// The server ends the connection, or what it says makes no sense.
    case end(String)
    /// Anything else.
    case other

    /// How a push begins that has a publication.
    private static let publication = Array(#"{"push":{"channel":"#.utf8)

    /// A line or text of JSON.
    ///
    /// Publications, which are nearly all, are not parsed: their mark says everything.
    package init(json line: Span<UInt8>) {
        if Self.starts(line, Self.publication) {
            self = BenchMark(in: line).map { .event($0) } ?? .other
            return
        }
        do throws(ServerMessageFault) {
            switch try ServerMessage(line: line) {
            case .ping: self = .ping
            case .reply(let reply):
                if case .error(let error) = reply.body {
                    self = .answer(id: reply.id, refusal: "\(error.code) \(error.message)")
                } else {
                    self = .answer(id: reply.id, refusal: nil)
                }
            case .push(.disconnect(let why)):
                self = .end("disconnected by the server: \(why.code) \(why.reason)")
            case .error(let error): self = .end("\(error.code) \(error.message)")
            case .push, .unknown: self = .other
            }
        } catch {
            self = .end("not the coordd protocol: \(error.description)")
        }
    }

    /// A message of a Protobuf frame (protocol facts: Centrifugal, section 13).
    package init(protobuf message: Span<UInt8>) {
        guard !message.isEmpty else {
            self = .ping
            return
        }
        var id: UInt32 = 0
        var push: Range<Int>?
        var refusal: Range<Int>?
        let isMessage = BenchProtobuf.fields(in: message) { field, value, range in
            switch field {
            case 1: id = UInt32(truncatingIfNeeded: value)
            case 2: refusal = range
            case 4: push = range
            default: break
            }
        }
        if !isMessage {
            self = .end("not the coordd protocol: no Protobuf")
        } else if let push {
            self = Self.push(message.extracting(push))
        } else {
            self = .answer(id: id, refusal: refusal.map { Self.words(message.extracting($0)) })
        }
    }

    private static func push(_ bytes: Span<UInt8>) -> BenchMessage {
        if let mark = BenchMark(in: bytes) { return .event(mark) }
        var end: String?
        _ = BenchProtobuf.fields(in: bytes) { field, _, range in
            if field == 11 { end = words(bytes.extracting(range)) }
        }
        return end.map { .end("disconnected by the server: \($0)") } ?? .other
    }

    /// The code and the text of an error or a disconnect.
    private static func words(_ bytes: Span<UInt8>) -> String {
        var code: UInt64 = 0
        var text = ""
        _ = BenchProtobuf.fields(in: bytes) { field, value, range in
            if field == 1 { code = value }
            if field == 2 {
                text = String(decoding: range.map { bytes[$0] }, as: UTF8.self)
            }
        }
        return "\(code) \(text)"
    }

    private static func starts(_ bytes: Span<UInt8>, _ start: [UInt8]) -> Bool {
        guard bytes.count >= start.count else { return false }
        for index in start.indices where bytes[index] != start[index] { return false }
        return true
    }
}

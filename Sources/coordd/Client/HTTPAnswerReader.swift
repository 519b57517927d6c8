import Coordinator

/// Reads answers of HTTP/1.1 whose length is told, one after the other (RFC 9112).
struct HTTPAnswerReader {
    /// Why the bytes are no such answer.
    struct Fault: Error {
        /// In words.
        let words: String
    }

    /// Bytes of a head, and of a body.
    private static let headBytes = 65_536
    private static let bodyBytes = 256 << 20

    private var head: [UInt8] = []
    /// What the head said, once it is there.
    private var found: (status: Int, length: Int, isLast: Bool)?
    private var body: [UInt8] = []

    /// Takes bytes of one answer, and gives it when it is whole, and whether the connection ends.
    mutating func read(
        _ bytes: Span<UInt8>
    ) throws(Fault) -> (answer: HTTPClient.Answer, isLast: Bool)? {
        for index in bytes.indices {
            let byte = bytes[index]
            if found != nil {
                body.append(byte)
                continue
            }
            head.append(byte)
            if head.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] { found = try readHead() }
            guard head.count < Self.headBytes else { throw Fault(words: "a long header") }
        }
        guard let found, body.count >= found.length else { return nil }
        guard body.count == found.length else { throw Fault(words: "a long body") }
        defer { self = HTTPAnswerReader() }
        return (HTTPClient.Answer(status: found.status, body: body), found.isLast)
    }

    private func readHead() throws(Fault) -> (status: Int, length: Int, isLast: Bool) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Fault(words: "no status line")
        }
        var length: Int?
        var isLast = false
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Fault(words: "a header without a colon") }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "content-length": length = Int(value)
            case "connection": isLast = value.lowercased() == "close"
            default: break
            }
        }
        if status == 204 { return (status, 0, isLast) }
        guard let length, (0...Self.bodyBytes).contains(length) else {
            throw Fault(words: "an answer without a length")
        }
        return (status, length, isLast)
    }
}

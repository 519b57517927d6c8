/// The head of a request: the request line, the header, and what they say about the body.
struct HTTPHead {
    /// How the end of the body is found (RFC 9112, section 6.3).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var request: HTTPRequest
    var framing: Framing
    var expectsContinue: Bool

    /// Reads a head from the request line to the empty line, each with its CR LF.
    ///
    /// Whatever two readers could understand in two ways is refused: a request that is smuggled past
    /// a proxy lives on that.
    init(_ bytes: Span<UInt8>, limits: HTTPLimits) throws(HTTPFault) {
        var start = 0
        let line = try HTTPRequestLine(bytes.extracting(Self.line(in: bytes, &start)))
        var fields = HTTPFields()
        while true {
            let field = bytes.extracting(Self.line(in: bytes, &start))
            if field.isEmpty { break }
            guard fields.fields.count < limits.headFields else {
                throw HTTPFault(.headerFieldsTooLarge, "too many header fields")
            }
            try Self.read(field, into: &fields)
        }
        guard line.isVersionSupported else {
            throw HTTPFault(.versionNotSupported, "only HTTP/1.1 and HTTP/1.0 are served")
        }
        let host = try Self.host(fields, line)
        request = HTTPRequest(
            method: line.method, path: line.path, query: line.query,
            isVersion11: line.isVersion11, fields: fields, host: line.authority ?? host)
        framing = try Self.framing(fields, isVersion11: line.isVersion11)
        if case .length(let count) = framing, count > limits.bodyBytes {
            throw HTTPFault(.contentTooLarge, "the body is longer than \(limits.bodyBytes) bytes")
        }
        let expectations = fields.list("expect")
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw HTTPFault(.expectationFailed, "the only expectation is 100-continue")
        }
        // A client of HTTP/1.0 does not know what an interim answer is (RFC 9110, section 10.1.1).
        expectsContinue = !expectations.isEmpty && line.isVersion11 && framing != .none
    }

    /// The place of the line that begins at `start`, without its CR LF; `start` moves behind it.
    private static func line(in bytes: Span<UInt8>, _ start: inout Int) -> Range<Int> {
        let begin = start
        while start < bytes.count, bytes[start] != ASCII.lineFeed { start += 1 }
        // The parser has seen to it that a CR stands before each LF.
        let end = max(begin, start - 1)
        start += 1
        return begin..<end
    }

    /// Reads one line of a header or of trailers, which is not empty.
    static func read(_ line: Span<UInt8>, into fields: inout HTTPFields) throws(HTTPFault) {
        guard line[0] != ASCII.blank, line[0] != ASCII.tab else {
            throw .malformed("a header field must not go on in the next line")
        }
        var name: [UInt8] = []
        var index = 0
        while index < line.count, ASCII.isToken(line[index]) {
            name.append(ASCII.lowercased(line[index]))
            index += 1
        }
        guard !name.isEmpty, index < line.count, line[index] == UInt8(ascii: ":") else {
            throw .malformed("a header field must be a name, a colon and a value")
        }
        var start = index + 1
        var end = line.count
        while start < end, line[start] == ASCII.blank || line[start] == ASCII.tab { start += 1 }
        while start < end, line[end - 1] == ASCII.blank || line[end - 1] == ASCII.tab { end -= 1 }
        var value: [UInt8] = []
        value.reserveCapacity(end - start)
        for index in start..<end {
            guard ASCII.isFieldContent(line[index]) else {
                throw .malformed("a header field must not contain control characters")
            }
            value.append(line[index])
        }
        fields.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private static func host(
        _ fields: HTTPFields, _ line: HTTPRequestLine
    ) throws(HTTPFault) -> String {
        let hosts = fields.values("host")
        guard hosts.count == 1 || (hosts.isEmpty && !line.isVersion11) else {
            throw .malformed("there must be one Host field")
        }
        let host = hosts.first ?? ""
        guard host.utf8.allSatisfy(ASCII.isHost) else {
            throw .malformed("the Host field must be a host and perhaps a port")
        }
        return host
    }

    private static func framing(
        _ fields: HTTPFields, isVersion11: Bool
    ) throws(HTTPFault) -> Framing {
        let lengths = fields.list("content-length")
        let codings = fields.list("transfer-encoding")
        guard let coding = codings.last else {
            return try lengths.first.map { first throws(HTTPFault) in
                try length(first, repeatedBy: lengths)
            } ?? .none
        }
        guard lengths.isEmpty else {
            throw .malformed("Content-Length and Transfer-Encoding exclude each other")
        }
        guard isVersion11 else {
            throw .malformed("HTTP/1.0 has no Transfer-Encoding")
        }
        guard coding == "chunked", codings.count(where: { $0 == "chunked" }) == 1 else {
            throw .malformed("the last Transfer-Encoding must be chunked, and no other")
        }
        guard codings.count == 1 else {
            throw HTTPFault(.notImplemented, "the only Transfer-Encoding is chunked")
        }
        return .chunked
    }

    private static func length(
        _ digits: String, repeatedBy others: [String]
    ) throws(HTTPFault) -> Framing {
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit),
            others.allSatisfy({ $0 == digits })
        else {
            throw .malformed("Content-Length must be one number of bytes")
        }
        // One that does not fit is over every limit.
        let count = Int(digits) ?? .max
        return count == 0 ? .none : .length(count)
    }
}

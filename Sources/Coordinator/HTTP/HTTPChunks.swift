/// A body in chunks (RFC 9112, section 7.1); extensions and trailers are checked and dropped.
struct HTTPChunks {
    private enum State {
        /// In the line with a chunk's size.
        case size
        /// In a chunk's bytes.
        case data(remaining: Int)
        /// In the line end behind a chunk's bytes.
        case dataEnd
        /// In the lines behind the last chunk.
        case trailers
    }

    private let limits: HTTPLimits
    private var state = State.size
    private var line: [UInt8] = []
    private var trailers = HTTPFields()
    private var trailerBytes = 0

    /// Bytes of a line with a size; nobody needs extensions.
    private static let lineBytes = 256
    /// Digits of a size; more are over every limit.
    private static let sizeDigits = 15

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Decodes up to the end of the body into `body`; true when that has come.
    mutating func take(
        _ bytes: Span<UInt8>, _ position: inout Int, into body: inout [UInt8]
    ) throws(HTTPFault) -> Bool {
        while position < bytes.count {
            switch state {
            case .size:
                guard try takeLine(bytes, &position, limit: Self.lineBytes) else { return false }
                let size = try readSize()
                guard size <= limits.bodyBytes - body.count else {
                    throw HTTPFault(
                        .contentTooLarge, "the body is longer than \(limits.bodyBytes) bytes")
                }
                state = size == 0 ? .trailers : .data(remaining: size)
            case .data(let remaining):
                let count = min(remaining, bytes.count - position)
                body.append(bytes.extracting(position..<position + count))
                position += count
                state = count == remaining ? .dataEnd : .data(remaining: remaining - count)
            case .dataEnd:
                guard try takeLine(bytes, &position, limit: 0) else { return false }
                state = .size
            case .trailers:
                let rest = limits.headBytes - trailerBytes
                guard try takeLine(bytes, &position, limit: rest) else { return false }
                if line.isEmpty { return true }
                guard trailers.fields.count < limits.headFields else {
                    throw HTTPFault(.headerFieldsTooLarge, "too many trailer fields")
                }
                trailerBytes += line.count
                let field = line
                line = []
                try HTTPHead.read(field.span, into: &trailers)
            }
        }
        return false
    }

    /// Collects a line; true when it is there, without its CR LF.
    private mutating func takeLine(
        _ bytes: Span<UInt8>, _ position: inout Int, limit: Int
    ) throws(HTTPFault) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == ASCII.lineFeed {
                guard line.popLast() == ASCII.carriageReturn else {
                    throw .malformed("lines of a chunked body must end with CR LF")
                }
                return true
            }
            // One more for the CR.
            guard line.count <= limit else {
                throw .malformed("a line of the chunked body is too long")
            }
            line.append(byte)
        }
        return false
    }

    /// The size at the beginning of the collected line, which is then empty again.
    private mutating func readSize() throws(HTTPFault) -> Int {
        var size = 0
        var digits = 0
        while digits < line.count, let digit = ASCII.hexadecimal(line[digits]) {
            guard digits < Self.sizeDigits else {
                throw HTTPFault(.contentTooLarge, "a chunk is longer than every limit")
            }
            size = size << 4 | Int(digit)
            digits += 1
        }
        let rest = line.dropFirst(digits)
        guard digits > 0, rest.isEmpty || rest.first == UInt8(ascii: ";"),
            rest.allSatisfy(ASCII.isFieldContent)
        else {
            throw .malformed("a chunk must begin with its size in hexadecimal digits")
        }
        line.removeAll(keepingCapacity: true)
        return size
    }
}

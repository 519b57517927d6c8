/// Reads requests of HTTP/1.1 and 1.0 from a stream of bytes (RFC 9112), one at a time.
///
/// It stops exactly behind each request, so that what follows an upgrade is left to the next
/// protocol. After a fault nothing more is read: nobody knows where the next request would begin.
package struct HTTPParser: Sendable {
    /// What the bytes so far have come to.
    package enum Step: Sendable, Equatable {
        /// All bytes are used up and the request goes on.
        case needsMore
        /// A head is there whose sender waits for a word before it sends the body.
        case expectsContinue(HTTPRequest)
        /// A request is there, whole.
        case request(HTTPRequest)
    }

    private enum State {
        /// Between requests, or in a head.
        case head
        /// In a body whose length is known.
        case length(HTTPRequest, remaining: Int)
        /// In a chunked body.
        case chunked(HTTPRequest, HTTPChunks)
        /// Not in step with the client any more.
        case failed(HTTPFault)
    }

    private let limits: HTTPLimits
    private var state = State.head
    private var head: [UInt8] = []
    /// Whether an empty line before the request line was skipped already.
    private var hasSkipped = false

    /// Bytes of a head whose memory is kept for the next one.
    private static let keptBytes = 1024

    /// A parser at the beginning of a connection.
    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Whether no byte of the next request has come yet.
    package var isIdle: Bool {
        if case .head = state { head.isEmpty } else { false }
    }

    /// Reads `bytes` from `position` on, up to the end of a request, and moves `position`.
    ///
    /// - Throws: ``HTTPFault``, again at every later call.
    package mutating func next(
        in bytes: Span<UInt8>, at position: inout Int
    ) throws(HTTPFault) -> Step {
        do throws(HTTPFault) {
            return try step(in: bytes, at: &position)
        } catch {
            state = .failed(error)
            head = []
            throw error
        }
    }

    private mutating func step(
        in bytes: Span<UInt8>, at position: inout Int
    ) throws(HTTPFault) -> Step {
        switch state {
        case .failed(let fault): throw fault
        case .head:
            guard try takeHead(bytes, &position) else { return .needsMore }
            let head = try HTTPHead(self.head.span, limits: limits)
            forgetHead()
            switch head.framing {
            case .none: return .request(head.request)
            case .length(let count): state = .length(head.request, remaining: count)
            case .chunked: state = .chunked(head.request, HTTPChunks(limits: limits))
            }
            // Who has sent some of the body already waits for nothing.
            if head.expectsContinue, position == bytes.count {
                return .expectsContinue(head.request)
            }
            return try step(in: bytes, at: &position)
        case .length(var request, let remaining):
            // The body is in one place only: an array in two would be copied when it grows.
            state = .head
            let count = min(remaining, bytes.count - position)
            request.body.append(bytes.extracting(position..<position + count))
            position += count
            guard count == remaining else {
                state = .length(request, remaining: remaining - count)
                return .needsMore
            }
            return .request(request)
        case .chunked(var request, var chunks):
            state = .head
            guard try chunks.take(bytes, &position, into: &request.body) else {
                state = .chunked(request, chunks)
                return .needsMore
            }
            return .request(request)
        }
    }

    /// Collects a head; true when its empty line is there.
    private mutating func takeHead(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(HTTPFault) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte != ASCII.lineFeed || head.last == ASCII.carriageReturn else {
                throw .malformed("lines must end with CR LF")
            }
            guard head.count < limits.headBytes else { throw headTooLong }
            head.append(byte)
            guard byte == ASCII.lineFeed else { continue }
            if head.count == 2 {
                // Some clients send an empty line behind a body (RFC 9112, section 2.2).
                guard !hasSkipped else {
                    throw .malformed("a request must not begin with empty lines")
                }
                hasSkipped = true
                head.removeAll(keepingCapacity: true)
            } else if head.count >= 4, head[head.count - 3] == ASCII.lineFeed {
                return true
            }
        }
        return false
    }

    /// One line that is too long is the target's fault.
    private var headTooLong: HTTPFault {
        head.contains(ASCII.lineFeed)
            ? HTTPFault(
                .headerFieldsTooLarge,
                "request line and header are longer than \(limits.headBytes) bytes")
            : HTTPFault(
                .uriTooLong, "the request line is longer than \(limits.headBytes) bytes")
    }

    private mutating func forgetHead() {
        hasSkipped = false
        if head.capacity <= Self.keptBytes {
            head.removeAll(keepingCapacity: true)
        } else {
            head = []
        }
    }
}

extension [UInt8] {
    /// Adds bytes that are only lent.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

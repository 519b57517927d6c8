/// What is spoken on a connection, as its first bytes tell (contract: protocol, Carriers).
package enum Carrier: Sendable, Hashable {
    /// One JSON object a line.
    case line
    /// HTTP/1.1.
    case http
    /// A WebSocket, which a request over HTTP asked for.
    case webSocket
    /// Too few bytes to tell.
    case needsMore
    /// Neither.
    case unknown

    /// The methods that begin an HTTP request (RFC 9110, section 9), with the blank after them.
    private static let methods: [[UInt8]] = [
        "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ",
        "PRI ",
    ].map { Array($0.utf8) }

    /// Judges the first bytes of a connection.
    package static func detect(_ bytes: Span<UInt8>) -> Carrier {
        if bytes.isEmpty { return .needsMore }
        if bytes[0] == UInt8(ascii: "{") { return .line }
        for method in methods {
            let count = min(method.count, bytes.count)
            guard (0..<count).allSatisfy({ method[$0] == bytes[$0] }) else { continue }
            return count == method.count ? .http : .needsMore
        }
        return .unknown
    }
}

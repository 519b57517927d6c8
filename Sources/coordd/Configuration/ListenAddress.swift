/// An address and port to listen on or to connect to, as `HOST:PORT`.
///
/// Names other than `localhost` are not accepted: what they mean could change under a running daemon.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// An IPv4 or IPv6 address without brackets, or `localhost`.
    package let host: String
    /// 0 lets the system choose when listening.
    package let port: UInt16

    /// What a valid text looks like, for error messages.
    package static let allowed =
        "HOST:PORT with an IPv4 address, an IPv6 address in brackets or localhost, and a port "
        + "from 0 to 65535"

    /// The contract's default, `127.0.0.1:8787`.
    package static let standard = ListenAddress(knownHost: "127.0.0.1", port: 8787)

    private init(knownHost: String, port: UInt16) {
        host = knownHost
        self.port = port
    }

    /// Reads `HOST:PORT`, `[HOST]:PORT`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit),
            let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            guard IPAddress.isVersion6(inner) else { return nil }
            self.init(knownHost: inner, port: port)
        } else {
            guard host == "localhost" || IPAddress.version4(host) != nil else { return nil }
            self.init(knownHost: String(host), port: port)
        }
    }

    /// `HOST:PORT`, an IPv6 address in brackets.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The address to hand to the system: `localhost` is 127.0.0.1.
    package var numericHost: String { host == "localhost" ? "127.0.0.1" : host }

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool {
        if let parts = IPAddress.version4(numericHost[...]) { return parts[0] == 127 }
        return IPAddress.isLoopbackVersion6(host)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}

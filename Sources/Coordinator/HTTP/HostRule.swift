/// Names of this machine that nobody else can point elsewhere, or here.
///
/// A page of another site can give its own name the address 127.0.0.1 (DNS rebinding); its requests
/// then come from this machine, but they name that site as their host (contract: protocol,
/// Authentication).
package enum HostRule {
    /// Whether a Host field names this machine as such: `localhost`, `127.x.x.x` or `[::1]`, each
    /// with or without a port.
    package static func isLoopback(_ host: String) -> Bool {
        let host = Substring(host.lowercased())
        if host.hasPrefix("[::1]") { return isPort(host.dropFirst(5)) }
        let name = host.prefix { $0 != ":" }
        guard isPort(host.dropFirst(name.count)) else { return false }
        return name == "localhost" || isLoopbackAddress(name)
    }

    /// Nothing, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.utf8.first else { return true }
        let digits = text.utf8.dropFirst()
        return first == UInt8(ascii: ":") && (1...5).contains(digits.count)
            && digits.allSatisfy(ASCII.isDigit)
    }

    private static func isLoopbackAddress(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(ASCII.isDigit)
                    && UInt8(part) != nil
            }
    }
}

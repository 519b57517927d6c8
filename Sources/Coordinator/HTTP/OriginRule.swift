/// Which web pages may open a connection (RFC 6454; contract: protocol, Authentication).
///
/// Only browsers send `Origin`, and they do not let a page choose it; whoever sends none is no
/// browser and passes.
package struct OriginRule: Sendable, Equatable {
    /// Origins without the ports that their schemes have by default, in lower case.
    private let allowed: Set<String>
    /// Whether every page may.
    package let allowsAll: Bool

    /// Allows these origins, and pages of the host that is asked itself; `*` allows all.
    package init(allowed: [String]) {
        self.allowed = Set(allowed.map(Self.normal))
        allowsAll = allowed.contains("*")
    }

    /// Whether a text is an origin as browsers write it: a scheme, a host and perhaps a port.
    package static func isOrigin(_ text: String) -> Bool {
        for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
            let host = text.utf8.dropFirst(scheme.utf8.count)
            // Lists of RFC 3986 go further than host names do.
            return !host.isEmpty
                && host.allSatisfy { ASCII.isHost($0) && $0 != UInt8(ascii: "*") }
        }
        return false
    }

    /// Whether a request may go on.
    package func allows(_ request: HTTPRequest) -> Bool {
        let origins = request.fields.values("origin")
        guard let first = origins.first else { return true }
        // Two of them come from no browser.
        guard origins.count == 1 else { return false }
        let origin = Self.normal(first)
        return allowsAll || allowed.contains(origin)
            || Self.isSameHost(origin, request.host.lowercased())
    }

    /// Whether an origin is a page of `host`, whose scheme a proxy may have changed; a port that the
    /// origin's scheme has by default need not be written.
    private static func isSameHost(_ origin: String, _ host: String) -> Bool {
        for (scheme, port) in schemes where origin.hasPrefix(scheme) {
            let page = origin.dropFirst(scheme.count)
            return !page.isEmpty && page == withoutPort(port, host)
        }
        return false
    }

    private static func normal(_ origin: String) -> String {
        let origin = origin.lowercased()
        for (scheme, port) in schemes where origin.hasPrefix(scheme) {
            return withoutPort(port, origin)
        }
        return origin
    }

    private static let schemes = [("http://", ":80"), ("https://", ":443")]

    private static func withoutPort(_ port: String, _ text: String) -> String {
        text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
}

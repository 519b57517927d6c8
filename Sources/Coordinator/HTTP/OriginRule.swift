/// Which web pages may open a connection (RFC 6454; contract: protocol, Authentication).
///
/// Only browsers send `Origin`, and they do not let a page choose it; whoever sends none is no
/// browser and passes.
package struct OriginRule: Sendable, Equatable {
    /// Origins as browsers write them, such as `https://shop.example`; `*` allows all.
    private let allowed: Set<String>

    /// Allows these origins, and pages of the host that is asked itself.
    package init(allowed: [String]) {
        self.allowed = Set(allowed.map { $0.lowercased() })
    }

    /// Whether a request may go on.
    package func allows(_ request: HTTPRequest) -> Bool {
        let origins = request.fields.values("origin")
        guard let origin = origins.first?.lowercased() else { return true }
        // Two of them come from no browser.
        guard origins.count == 1 else { return false }
        if allowed.contains("*") || allowed.contains(origin) { return true }
        return Self.isSameHost(origin, request.host.lowercased())
    }

    /// Whether an origin is a page of `host`, whose scheme a proxy may have changed; a port that the
    /// origin's scheme has by default need not be written.
    private static func isSameHost(_ origin: String, _ host: String) -> Bool {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.hasPrefix(scheme) {
            let page = withoutPort(port, String(origin.dropFirst(scheme.count)))
            return !page.isEmpty && page == withoutPort(port, host)
        }
        return false
    }

    private static func withoutPort(_ port: String, _ host: String) -> String {
        host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}

package import Coordinator

/// What is served over HTTP: one table (contract: protocol, HTTP).
package struct HTTPRoutes: Sendable {
    /// What an answer may need beside its request.
    package struct Context {
        /// The server that was asked.
        let server: Server
        /// The client's address without its port.
        let peer: String
        /// Takes one event out of the connection's rate; false when there is none.
        let takesEvent: () -> Bool
        /// The segments of the path that stand for names, as they were sent.
        fileprivate(set) var names: [String: Substring] = [:]

        /// A server and who asks it.
        package init(
            server: Server, peer: String, takesEvent: @escaping () -> Bool = { true }
        ) {
            self.server = server
            self.peer = peer
            self.takesEvent = takesEvent
        }

        /// Whether the client has an address of this machine's own.
        var isLocal: Bool { SocketAddress(host: peer, port: 0).isLoopback }
    }

    /// Every path of the daemon.
    package static let standard = HTTPRoutes(watching + sessions + revocation)

    /// The routes, in the order that they are looked through.
    package let table: [HTTPRoute]

    /// Routes that are looked through in their order.
    package init(_ table: [HTTPRoute]) {
        self.table = table
    }

    /// Answers a request, exactly once.
    package func answer(
        _ request: HTTPRequest, _ context: Context,
        _ completion: @escaping (HTTPResponse) -> Void
    ) {
        switch find(request, context) {
        case .route(let route, let names):
            var context = context
            context.names = names
            route.answer(request, context, completion)
        case .refusal(let response): completion(response)
        }
    }

    /// Why a request will be refused whatever its body is; nil when its body is wanted.
    func refusal(of request: HTTPRequest, _ context: Context) -> HTTPResponse? {
        if case .refusal(let response) = find(request, context) { response } else { nil }
    }

    private enum Found {
        case route(HTTPRoute, [String: Substring])
        case refusal(HTTPResponse)
    }

    /// In this order: is there anything, may this one have it, is it the right way to ask for it.
    private func find(_ request: HTTPRequest, _ context: Context) -> Found {
        let routes = table.compactMap { route in route.match(request.path).map { (route, $0) } }
        guard let first = routes.first?.0 else {
            return .refusal(.problem(.notFound, "there is nothing at this path"))
        }
        let access = context.server.settings.access
        if let refusal = access.refusal(of: request, first.access, isLocal: context.isLocal) {
            return .refusal(refusal)
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let (route, names) = routes.first(where: { $0.0.method == method }) else {
            return .refusal(Self.methodRefusal(routes.map(\.0)))
        }
        if route.access == .api, let refusal = Self.bodyRefusal(of: request, route) {
            return .refusal(refusal)
        }
        return .route(route, names)
    }

    private static func methodRefusal(_ routes: [HTTPRoute]) -> HTTPResponse {
        let methods = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
            .joined(separator: ", ")
        var response = HTTPResponse.problem(
            .methodNotAllowed, "this path is served for \(methods)")
        response.fields.append("allow", methods)
        return response
    }

    /// A form of another site's page can send anything but JSON without being asked first
    /// (contract: protocol, Authentication).
    private static func bodyRefusal(of request: HTTPRequest, _ route: HTTPRoute) -> HTTPResponse? {
        if route.wantsBody, !request.announcesBody {
            return .problem(.lengthRequired, "this path needs a body")
        }
        guard route.wantsBody || request.hasBody, !request.isJSON else { return nil }
        return .problem(.unsupportedMediaType, "a body must be application/json")
    }
}

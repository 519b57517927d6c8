package import Coordinator

/// What is served over HTTP: one table (contract: protocol, HTTP).
package struct HTTPRoutes: Sendable {
    /// What an answer may need beside its request.
    package struct Context {
        /// The server that was asked.
        let server: Server
        /// The client's address without its port.
        let peer: String

        /// A server and who asks it.
        package init(server: Server, peer: String) {
            self.server = server
            self.peer = peer
        }
    }

    /// One path with the one method that it is served for; GET serves HEAD too.
    package struct Route: Sendable {
        /// How an answer is given: exactly once, on the loop, at once or later.
        package typealias Answer =
            @Sendable (HTTPRequest, Context, @escaping (HTTPResponse) -> Void) -> Void

        /// The method, in capitals.
        let method: String
        /// The whole path, as it is sent.
        let path: String
        /// Answers a request.
        let answer: Answer

        /// A path that may be answered later.
        package init(_ method: String, _ path: String, later answer: @escaping Answer) {
            self.method = method
            self.path = path
            self.answer = answer
        }

        /// A path that is answered at once.
        package init(
            _ method: String, _ path: String,
            _ answer: @escaping @Sendable (HTTPRequest, Context) -> HTTPResponse
        ) {
            self.init(
                method, path,
                later: { request, context, completion in
                    completion(answer(request, context))
                })
        }
    }

    /// Every path of the daemon.
    package static let standard = HTTPRoutes([
        Route("GET", "/healthz") { _, context in health(context.server.health) },
        Route("GET", "/readyz") { _, context in health(context.server.health) },
        Route("GET", HTTPRequest.webSocketPath) { _, _ in needsUpgrade },
        Route("GET", "/metrics") { _, context in metrics(context.server, peer: context.peer) },
    ])

    private let table: [Route]

    /// Routes that are looked through in their order.
    package init(_ table: [Route]) {
        self.table = table
    }

    /// Answers a request, exactly once.
    package func answer(
        _ request: HTTPRequest, _ context: Context,
        _ completion: @escaping (HTTPResponse) -> Void
    ) {
        switch find(request) {
        case .route(let route): route.answer(request, context, completion)
        case .refusal(let response): completion(response)
        }
    }

    /// Why a request will be refused whatever its body is; nil when its body is wanted.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        if case .refusal(let response) = find(request) { response } else { nil }
    }

    private enum Found {
        case route(Route)
        case refusal(HTTPResponse)
    }

    private func find(_ request: HTTPRequest) -> Found {
        let routes = table.filter { $0.path == request.path }
        guard !routes.isEmpty else {
            return .refusal(.problem(.notFound, "there is nothing at this path"))
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        if let route = routes.first(where: { $0.method == method }) { return .route(route) }
        let methods = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
        var response = HTTPResponse.problem(
            .methodNotAllowed, "this path is served for \(methods.joined(separator: ", "))")
        response.fields.append("allow", methods.joined(separator: ", "))
        return .refusal(response)
    }
}

extension HTTPRoutes {
    /// A request for the WebSocket that does not ask to become one.
    private static let needsUpgrade: HTTPResponse = {
        var response = HTTPResponse.problem(
            .upgradeRequired, "this path is a WebSocket's: the request must ask for the upgrade")
        response.fields.append("upgrade", "websocket")
        return response
    }()

    /// Both health paths say the same (contract: protocol, HTTP).
    static func health(_ health: Health) -> HTTPResponse {
        .json(health.isReady ? .ok : .serviceUnavailable, health.document)
    }

    /// The metrics, for this machine only: other machines would need the API key, and there is none
    /// yet (contract: protocol, Authentication).
    static func metrics(_ server: Server, peer: String) -> HTTPResponse {
        guard SocketAddress(host: peer, port: 0).isLoopback else {
            return .problem(
                .forbidden,
                "the metrics need the API key unless they are asked for from this machine, and "
                    + "this version has no API key")
        }
        return HTTPResponse(
            .ok, contentType: PrometheusWriter.contentType,
            body: server.metrics.page(server.gauges()))
    }
}

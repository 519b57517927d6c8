internal import Coordinator

extension HTTPRoutes {
    /// How the daemon is, and where clients connect.
    static let watching = [
        HTTPRoute("GET", "/healthz", statuses: [.ok, .serviceUnavailable]) { _, context in
            health(context.server.health)
        },
        HTTPRoute("GET", "/readyz", statuses: [.ok, .serviceUnavailable]) { _, context in
            health(context.server.health)
        },
        // All but the last are said when the request does ask for the upgrade.
        HTTPRoute(
            "GET", HTTPRequest.webSocketPath,
            statuses: [.badRequest, .forbidden, .serviceUnavailable, .upgradeRequired]
        ) { _, _ in needsUpgrade },
        HTTPRoute(
            "GET", "/metrics", for: .metrics,
            later: { _, context, completion in
                context.server.metricsPage { page in completion(metrics(page)) }
            }),
    ]

    /// A request for the WebSocket that does not ask to become one.
    private static let needsUpgrade: HTTPResponse = {
        var response = HTTPResponse.problem(
            .upgradeRequired, "this path is a WebSocket's: the request must ask for the upgrade")
        response.fields.append("upgrade", "websocket")
        return response
    }()

    /// Both health paths say the same (contract: protocol, HTTP).
    private static func health(_ health: Health) -> HTTPResponse {
        .json(health.isReady ? .ok : .serviceUnavailable, health.document)
    }

    private static func metrics(_ page: [UInt8]) -> HTTPResponse {
        HTTPResponse(.ok, contentType: PrometheusWriter.contentType, body: page)
    }
}

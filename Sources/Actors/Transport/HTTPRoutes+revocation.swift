internal import Coordinator

extension HTTPRoutes {
    /// Tokens are taken back (contract: protocol, Authentication).
    static let revocation = [
        HTTPRoute(
            "POST", "/v1/revoke", for: .api,
            statuses: [
                .ok, .badRequest, .tooManyRequests, .notImplemented, .serviceUnavailable,
            ], later: revoke)
    ]

    private static func revoke(
        _ request: HTTPRequest, _ context: Context,
        _ completion: @escaping (HTTPResponse) -> Void
    ) {
        do throws(ReplyError) {
            let metrics = context.server.metrics
            context.server.revoke(try RevocationBody.read(request.body)) { result in
                switch result {
                case .success(let closed): completion(.json(.ok, ["closed": .integer(closed)]))
                case .failure(let error):
                    metrics.answered(.error(error))
                    completion(HTTPResponse(error))
                }
            }
        } catch {
            context.server.metrics.answered(.error(error))
            completion(HTTPResponse(error))
        }
    }
}

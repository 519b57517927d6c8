internal import Coordinator

extension HTTPRoutes {
    /// The sessions, for whoever has the API key (contract: protocol, HTTP).
    static let sessions = [
        HTTPRoute(
            "GET", "/v1/sessions", for: .api,
            statuses: [.ok, .badRequest, .serviceUnavailable], later: list),
        HTTPRoute(
            "GET", "/v1/sessions/{id}", for: .api,
            statuses: [.ok, .badRequest, .notFound, .serviceUnavailable],
            later: { _, context, completion in
                ask(context, { .state }, completion)
            }),
        HTTPRoute(
            "DELETE", "/v1/sessions/{id}", for: .api,
            statuses: [.noContent, .badRequest, .notFound, .serviceUnavailable],
            later: { _, context, completion in
                ask(context, { .close }, { completion($0.status == .ok ? .noContent : $0) })
            }),
        HTTPRoute(
            "GET", "/v1/sessions/{id}/history", for: .api,
            statuses: [.ok, .badRequest, .notFound, .serviceUnavailable],
            later: { request, context, completion in
                ask(
                    context, { () throws(ReplyError) in .history(try history(request)) },
                    completion)
            }),
        HTTPRoute(
            "POST", "/v1/sessions/{id}/events", for: .api,
            statuses: [
                .ok, .badRequest, .notFound, .forbidden, .conflict, .unprocessableContent,
                .locked, .tooManyRequests, .serviceUnavailable,
            ],
            later: { request, context, completion in
                ask(
                    context,
                    { () throws(ReplyError) in
                        let application = try EventBody.read(request.body)
                        guard context.takesEvent() else {
                            throw .tooManyRequests("limits.eventsPerSecond is reached")
                        }
                        return .apply(application)
                    }, completion)
            }),
    ]

    /// Rows of a page, unless it is told how many.
    private static let pageSize = 100
    /// Rows of a page at most, and publications.
    private static let pageLimit = 1000

    /// Asks the session that the path names.
    private static func ask(
        _ context: Context, _ call: () throws(ReplyError) -> SessionCall,
        _ completion: @escaping (HTTPResponse) -> Void
    ) {
        do throws(ReplyError) {
            let session = try session(context)
            context.server.ask(session, try call()) { body in
                completion(response(to: body))
            }
        } catch {
            refuse(error, context, completion)
        }
    }

    private static func refuse(
        _ error: ReplyError, _ context: Context, _ completion: (HTTPResponse) -> Void
    ) {
        context.server.metrics.answered(.error(error))
        completion(HTTPResponse(error))
    }

    private static func session(_ context: Context) throws(ReplyError) -> SessionID {
        guard let name = context.names["id"],
            let text = PercentEncoding.decode(name, plusIsBlank: false),
            let session = SessionID(text)
        else { throw .badRequest("the path names no session id") }
        return session
    }

    private static func response(to body: Reply.Body) -> HTTPResponse {
        switch body {
        case .error(let error): HTTPResponse(error)
        case .rpc(let data): HTTPResponse(document: data)
        case .history(let history): HTTPResponse(history)
        case .connect, .subscribe, .unsubscribe, .publish, .presence, .presenceStats, .refresh,
            .subRefresh:
            HTTPResponse(.internalError("an answer of another kind"))
        }
    }

    private static func parameters(
        _ request: HTTPRequest
    ) throws(ReplyError) -> HTTPParameters {
        guard let parameters = request.parameters else {
            throw .badRequest("the query is badly encoded")
        }
        return parameters
    }

    private static func history(_ request: HTTPRequest) throws(ReplyError) -> Command.History {
        let parameters = try parameters(request)
        let since = try parameters.integer("since", 0...UInt64.max)
        return Command.History(
            channel: "",
            limit: try parameters.integer("limit", 0...Int64(pageLimit)) ?? Int64(pageSize),
            since: since.map { StreamPosition(epoch: "", offset: $0) })
    }

    private static func list(
        _ request: HTTPRequest, _ context: Context,
        _ completion: @escaping (HTTPResponse) -> Void
    ) {
        do throws(ReplyError) {
            let parameters = try parameters(request)
            let limit = try parameters.integer("limit", 1...pageLimit) ?? pageSize
            let start = parameters["after"] ?? ""
            guard start.utf8.count <= SessionID.maximumBytes else {
                throw .badRequest("after must have at most \(SessionID.maximumBytes) bytes")
            }
            context.server.list(after: start, limit: limit) { result in
                switch result {
                case .success(let page):
                    completion(
                        .json(
                            .ok,
                            [
                                "sessions": .array(page.rows.map(\.json)),
                                "next": page.next.map { .string($0) } ?? .null,
                            ]))
                case .failure(let error): refuse(error, context, completion)
                }
            }
        } catch {
            refuse(error, context, completion)
        }
    }
}

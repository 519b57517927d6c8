package import Coordinator

/// One path with one method that is served there; GET serves HEAD too.
package struct HTTPRoute: Sendable {
    /// How an answer is given: exactly once, on the loop, at once or later.
    package typealias Answer =
        @Sendable (HTTPRequest, HTTPRoutes.Context, @escaping (HTTPResponse) -> Void) -> Void

    /// The method, in capitals.
    package let method: String
    /// The path, in which `{name}` stands for one segment.
    package let path: String
    /// What is asked of those who want it.
    package let access: HTTPAccess.Rule
    /// The statuses of its own answers; what every request can get is not among them.
    package let statuses: Set<HTTPStatus>
    /// Answers a request.
    let answer: Answer
    private let segments: [Substring]

    /// A path that may be answered later.
    package init(
        _ method: String, _ path: String, for access: HTTPAccess.Rule = .everybody,
        statuses: Set<HTTPStatus> = [.ok], later answer: @escaping Answer
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.statuses = statuses.union(Self.refusals(access, method))
        self.answer = answer
        segments = path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// A path that is answered at once.
    package init(
        _ method: String, _ path: String, for access: HTTPAccess.Rule = .everybody,
        statuses: Set<HTTPStatus> = [.ok],
        _ answer: @escaping @Sendable (HTTPRequest, HTTPRoutes.Context) -> HTTPResponse
    ) {
        self.init(
            method, path, for: access, statuses: statuses,
            later: { request, context, completion in completion(answer(request, context)) })
    }

    /// Whether a request must bring a body.
    var wantsBody: Bool { method == "POST" }

    /// What is answered before the route itself is asked.
    private static func refusals(_ access: HTTPAccess.Rule, _ method: String) -> Set<HTTPStatus> {
        switch access {
        case .everybody: []
        case .metrics: [.unauthorized, .forbidden]
        case .api where method == "POST":
            [.unauthorized, .forbidden, .lengthRequired, .contentTooLarge, .unsupportedMediaType]
        case .api: [.unauthorized, .forbidden, .unsupportedMediaType]
        }
    }

    /// The segments that stand for names, as they were sent; nil when it is another path.
    func match(_ path: String) -> [String: Substring]? {
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard given.count == segments.count else { return nil }
        var names: [String: Substring] = [:]
        for (pattern, segment) in zip(segments, given) {
            if pattern.first == "{" {
                // An empty name is none.
                guard !segment.isEmpty else { return nil }
                names[String(pattern.dropFirst().dropLast())] = segment
            } else if pattern != segment {
                return nil
            }
        }
        return names
    }
}

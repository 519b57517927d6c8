/// Who may ask for what over HTTP (contract: protocol, Authentication).
package struct HTTPAccess: Sendable {
    /// What a path asks of those who want it.
    package enum Rule: Sendable, CaseIterable {
        /// Nothing.
        case everybody
        /// The API key, unless the client is on this machine.
        case metrics
        /// The API key, or a listener that only this machine reaches and no secret at all.
        case api
    }

    /// The key of the API; nil when none is configured.
    package var apiKey: APIKey?
    /// Whether clients need tokens.
    package var requiresTokens: Bool
    /// Whether other machines can reach a listener.
    package var isExposed: Bool
    /// Which web pages are friends.
    package var origins: OriginRule

    /// What the configuration says.
    package init(
        apiKey: APIKey?, requiresTokens: Bool, isExposed: Bool, origins: OriginRule
    ) {
        self.apiKey = apiKey
        self.requiresTokens = requiresTokens
        self.isExposed = isExposed
        self.origins = origins
    }

    /// Why a request is turned away; nil when it is not.
    ///
    /// `isLocal` tells whether the client has an address of this machine's own.
    package func refusal(of request: HTTPRequest, _ rule: Rule, isLocal: Bool) -> HTTPResponse? {
        switch rule {
        case .everybody: nil
        case .metrics where isLocal: nil
        case .metrics: keyRefusal(of: request, "the metrics are for this machine only")
        case .api where apiKey != nil: keyRefusal(of: request, "")
        case .api where requiresTokens: Self.closed("clients need tokens")
        case .api where isExposed: Self.closed("other machines can reach this address")
        case .api: strangerRefusal(of: request)
        }
    }

    /// Why a WebSocket may not be opened; nil when it may.
    ///
    /// Where no secret is asked for, only this machine's own names are answered. With `--insecure`
    /// nobody knows under which name other machines reach this one.
    package func webSocketRefusal(of request: HTTPRequest) -> HTTPResponse? {
        guard requiresTokens || isExposed else { return strangerRefusal(of: request) }
        return originRefusal(of: request)
    }

    /// Why a page of another site gets nothing, although it can reach this address.
    private func strangerRefusal(of request: HTTPRequest) -> HTTPResponse? {
        guard HostRule.isLoopback(request.host) else {
            return .problem(
                .forbidden,
                "without a secret only requests for localhost, 127.x.x.x or [::1] are answered: "
                    + "the Host field must be one of these")
        }
        return originRefusal(of: request)
    }

    private func originRefusal(of request: HTTPRequest) -> HTTPResponse? {
        guard !origins.allows(request) else { return nil }
        return .problem(.forbidden, "the page's origin is not one of auth.allowedOrigins")
    }

    private func keyRefusal(of request: HTTPRequest, _ reason: String) -> HTTPResponse? {
        guard let apiKey else { return Self.closed(reason) }
        let detail: String
        switch apiKey.isGiven(in: request) {
        case true?: return nil
        case false?: detail = "this is not the API key"
        case nil:
            detail = "the API key is missing: Authorization: apikey KEY, or X-API-Key: KEY"
        }
        var response = HTTPResponse.problem(.unauthorized, detail)
        response.fields.append("www-authenticate", "apikey")
        return response
    }

    private static func closed(_ reason: String) -> HTTPResponse {
        .problem(.forbidden, "\(reason), and auth.apiKey is not configured")
    }
}

extension Access {
    /// Whether clients need tokens.
    package var requiresTokens: Bool {
        switch self {
        case .open: false
        case .tokens: true
        }
    }
}

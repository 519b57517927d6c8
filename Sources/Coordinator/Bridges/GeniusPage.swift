internal import Security

/// The page of the Genius player (contract: domain, section 5.1, "Load content").
extension GeniusBridge {
    /// What the configuration object holds where the content says nothing.
    private static let defaults: [(String, JSON)] = [
        ("customerId", ""), ("fixtureId", ""), ("playerWidth", "100vw"),
        ("playerHeight", "100vh"), ("controlsEnabled", "true"), ("audioEnabled", "true"),
        ("allowFullScreen", "true"), ("bufferLength", "2"), ("autoplayEnabled", "true"),
    ]

    /// What the content may add.
    private static let optional = [
        "cgFixtureId", "apiKey", "user", "password", "culture", "triggerOnboarding", "deviceId",
        "showPlayerTracking",
    ]

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        let content = request.content
        var configuration = JSONObject()
        for (key, value) in Self.defaults {
            configuration.append(key, given(key, in: content) ?? value)
        }
        for key in Self.optional {
            configuration.append(key, ifPresent: given(key, in: content))
        }
        let environment = content["environment"]?.string ?? ""
        configuration.append(
            "environment", .string(["PROD", "CI"].contains(environment) ? environment : "UAT"))
        // The address itself goes no further than this.
        if let email = content["userEmail"]?.string {
            let device = text(content["deviceId"])
            configuration.append("hashedUserEmail", .string(SHA256.hex(email)))
            configuration.append("hashedUserId", .string(SHA256.hex(device + "_" + email)))
        }
        return VendorPage(
            html: request.policy.genius.template.filled(with: .object(configuration)),
            baseURL: baseURL(content, source: request.source))
    }

    private func given(_ key: String, in content: JSONObject) -> JSON? {
        guard let value = content[key], !value.isNull else { return nil }
        return value
    }

    private func baseURL(_ content: JSONObject, source: String?) -> String {
        let fixture = text(content["cgFixtureId"])
        let tracks = ["true", "1"].contains(text(content["showPlayerTracking"]))
        return "https://api.geniussports.com?fixtureImmersive=\(WebAddress.percentEncoded(fixture))"
            + "&liveStreamId=\(WebAddress.percentEncoded(source ?? ""))"
            + "&showPlayerTrackingGuides=\(tracks)"
    }

    private func text(_ value: JSON?) -> String {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let truth): truth ? "true" : "false"
        case .null, .array, .object, nil: ""
        }
    }
}

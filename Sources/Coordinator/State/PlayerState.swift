/// The player and the web page it is (contract: domain, section 2, `player`).
package struct PlayerState: Sendable, Equatable {
    /// Where the player is in its life.
    package enum Phase: String, Sendable {
        case idle, loading, ready, failed, closed
    }

    /// What went wrong with the page.
    package struct Fault: Sendable, Equatable {
        package var code: String
        package var message: String
    }

    /// One of the streams that the viewer can choose.
    package struct Source: Sendable, Equatable {
        package var id: String
        package var name: String
    }

    /// Where the player is in its life.
    package var phase = Phase.idle
    /// Generation of the web page; nil before the first.
    package var page: UInt64?
    /// What was loaded, as it was sent, without secrets.
    package var content: JSON?
    /// The page's address, without secret parameters.
    package var url: String?
    /// The address that the page's HTML counts as coming from.
    package var baseURL: String?
    /// Why the player failed.
    package var error: Fault?
    /// The page's height in points.
    package var height: Double?
    /// The language, BCP 47.
    package var locale: String?
    /// The vendor's theme.
    package var theme: String?
    /// The streams to choose from.
    package var sources: [Source]?
    /// The id of the chosen stream.
    package var source: String?
    /// `required` while the page waits for a login.
    package var login: String?

    var json: JSON {
        var object = JSONObject()
        object.append("phase", .string(phase.rawValue))
        object.append("page", ifPresent: page.map { .integer($0) })
        object.append("content", ifPresent: content)
        object.append("url", ifPresent: url.map { .string($0) })
        object.append("baseURL", ifPresent: baseURL.map { .string($0) })
        object.append(
            "error",
            ifPresent: error.map {
                ["code": .string($0.code), "message": .string($0.message)]
            })
        object.append("height", ifPresent: height.map { .length($0) })
        object.append("locale", ifPresent: locale.map { .string($0) })
        object.append("theme", ifPresent: theme.map { .string($0) })
        object.append(
            "sources",
            ifPresent: sources.map { sources in
                .array(sources.map { ["id": .string($0.id), "name": .string($0.name)] })
            })
        object.append("source", ifPresent: source.map { .string($0) })
        object.append("login", ifPresent: login.map { .string($0) })
        return .object(object)
    }
}

extension JSON {
    /// A length in points.
    static func length(_ points: Double) -> JSON {
        .number(JSONNumber(points))
    }
}

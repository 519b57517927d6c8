/// Takes secrets out of an event before anybody but the stage hears of it (contract: domain,
/// section 4.6).
package enum Redaction {
    /// Members that are secret wherever an event of this type has them.
    private static let secrets: [String: Set<String>] = [
        "player.load": ["apiKey", "user", "password", "userEmail", "accessToken"],
        "login.complete": ["accessToken"],
    ]

    /// The event without its secrets; the same value when it has none.
    package static func publishable(_ event: JSON, policy: Policy) -> JSON {
        let names = event["type"]?.string.flatMap { secrets[$0] } ?? []
        return clean(event, names, policy.secretQueryParameters)
    }

    /// Content without its secrets and without null members, as the state keeps it.
    static func content(_ content: JSONObject, policy: Policy) -> JSONObject {
        let cleaned = clean(
            .object(content), secrets["player.load"] ?? [], policy.secretQueryParameters)
        return cleaned.withoutNulls.object ?? JSONObject()
    }

    /// The text without secret query parameters when it is an http(s) URL.
    static func url(_ text: String, policy: Policy) -> String {
        clean(text, policy.secretQueryParameters)
    }

    private static func clean(
        _ value: JSON, _ names: Set<String>, _ parameters: Set<String>
    ) -> JSON {
        switch value {
        case .null, .bool, .number: return value
        case .string(let text): return .string(clean(text, parameters))
        case .array(let elements):
            return .array(elements.map { clean($0, names, parameters) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.compactMap { member in
                        guard !names.contains(member.key) else { return nil }
                        return JSONObject.Member(
                            key: member.key, value: clean(member.value, names, parameters))
                    }))
        }
    }

    private static func clean(_ text: String, _ parameters: Set<String>) -> String {
        guard isWeb(text), text.utf8.contains(UInt8(ascii: "?")) else { return text }
        // A page that routes by its fragment has a query there too: `#/watch?token=…`.
        return text.unicodeScalars.split(
            separator: "#", maxSplits: 1, omittingEmptySubsequences: false
        ).map { cutQuery(of: $0, parameters) }.joined(separator: "#")
    }

    /// Works on scalars: a mark that combines with `?`, `&` or `=` would hide them as characters.
    private static func cutQuery(
        of part: Substring.UnicodeScalarView, _ parameters: Set<String>
    ) -> String {
        guard let mark = part.firstIndex(of: "?") else { return String(part) }
        let pairs = part[part.index(after: mark)...].split(
            separator: "&", omittingEmptySubsequences: false)
        let kept = pairs.filter { pair in
            !parameters.contains(percentDecoded(pair.prefix { $0 != "=" }).lowercased())
        }
        guard kept.count < pairs.count else { return String(part) }
        let query = kept.map { String($0) }.joined(separator: "&")
        return String(part[..<mark]) + (query.isEmpty ? "" : "?" + query)
    }

    private static func isWeb(_ text: String) -> Bool {
        let start = String(decoding: text.utf8.prefix(8), as: UTF8.self).lowercased()
        return start.utf8.starts(with: "http://".utf8) || start.utf8.starts(with: "https://".utf8)
    }

    /// A name as the server behind the URL will read it.
    private static func percentDecoded(_ text: Substring.UnicodeScalarView) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSON {
    /// The value without null members of objects, at any depth.
    fileprivate var withoutNulls: JSON {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.filter { !$0.value.isNull }.map {
                        JSONObject.Member(key: $0.key, value: $0.value.withoutNulls)
                    }))
        }
    }
}

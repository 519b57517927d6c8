internal import Security

/// The key of the HTTP API, which no text of this program shows.
package struct APIKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// Bytes that a key has: shorter ones can be guessed.
    package static let bytes = 16...4096

    private let text: String

    /// Checks and wraps a key; nil when it has another length, or anything but visible ASCII
    /// characters, which a header field could not carry.
    package init?(_ text: String) {
        guard Self.bytes.contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
    }

    /// Hands the key to somebody who sends it.
    package func reveal<Result>(_ body: (String) -> Result) -> Result { body(text) }

    /// Whether a request has the key, as `Authorization: apikey KEY` or `X-API-Key: KEY`; nil when it
    /// has none at all.
    ///
    /// The time it takes tells nothing about the key.
    package func isGiven(in request: HTTPRequest) -> Bool? {
        var given = request.fields.values("x-api-key")
        for value in request.fields.values("authorization") {
            let scheme = value.prefix { $0 != " " }
            guard scheme.lowercased() == "apikey" else { continue }
            given.append(String(value.dropFirst(scheme.count).drop { $0 == " " }))
        }
        guard !given.isEmpty else { return nil }
        // Several must all be right: nobody knows which one a proxy has looked at.
        return given.allSatisfy { ConstantTime.areEqual($0, text) }
    }

    package static func == (left: APIKey, right: APIKey) -> Bool {
        ConstantTime.areEqual(left.text, right.text)
    }

    package var description: String { "(secret)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

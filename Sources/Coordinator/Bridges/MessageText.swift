/// What a page says as JSON, or as the text of JSON; both are the same to a bridge.
package enum MessageText {
    /// Levels of arrays and objects that are accepted, so that an effect around them fits on the wire.
    package static let maximumDepth = 24

    /// The value that a message is, or whose text it is.
    ///
    /// Nil for a text that is no JSON, that names a member twice or has half a surrogate pair, and for
    /// a value that is nested too deep or has a number out of range (contract: domain, section 3).
    package static func value(of body: JSON) -> JSON? {
        guard case .string(let text) = body else { return isSound(body, level: 1) ? body : nil }
        guard let document = try? JSONParser.parse(text: text, maximumDepth: maximumDepth),
            document.defects.isEmpty, isSound(document.root, level: 1)
        else { return nil }
        return document.root
    }

    /// The members of a message, each to be judged by whoever reads it; nil for no object.
    ///
    /// A number out of range spoils the member that it is in, and no other.
    package static func fields(of body: JSON) -> JSONObject? {
        guard case .string(let text) = body else { return body.object }
        guard let document = try? JSONParser.parse(text: text, maximumDepth: maximumDepth),
            document.defects.isEmpty
        else { return nil }
        return document.root.object
    }

    private static func isSound(_ value: JSON, level: Int) -> Bool {
        switch value {
        case .null, .bool, .string: true
        case .number(let number): number.isInRange
        case .array(let elements):
            level <= maximumDepth && elements.allSatisfy { isSound($0, level: level + 1) }
        case .object(let object):
            level <= maximumDepth
                && object.members.allSatisfy { isSound($0.value, level: level + 1) }
        }
    }
}

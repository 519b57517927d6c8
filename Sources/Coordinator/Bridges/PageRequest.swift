/// What a page is made from.
package struct PageRequest {
    /// The content as it was sent, secrets included; no member is null.
    package var content: JSONObject
    /// How the page is used.
    package var options: LoadOptions
    /// The id of the chosen stream; nil for the vendor's default.
    package var source: String?
    /// Templates and texts of the configuration.
    package var policy: Policy

    /// A text that the content must have.
    ///
    /// - Throws: 422 naming the member.
    package func text(_ key: String) throws(Rejection) -> String {
        guard let value = content[key] else { throw .invalid("event.content.\(key)", "is missing") }
        guard let text = value.string else {
            throw .invalid("event.content.\(key)", "must be a string, not \(value.kindName)")
        }
        guard !text.isEmpty else { throw .invalid("event.content.\(key)", "is empty") }
        return text
    }

    /// A truth value that the content may have.
    ///
    /// - Throws: 422 naming the member.
    package func bool(_ key: String) throws(Rejection) -> Bool? {
        guard let value = content[key] else { return nil }
        guard let truth = value.bool else {
            throw .invalid("event.content.\(key)", "must be a boolean, not \(value.kindName)")
        }
        return truth
    }

    /// A text that the content may have; empty where it says so.
    ///
    /// - Throws: 422 naming the member when it is something else.
    package func optionalText(_ key: String) throws(Rejection) -> String? {
        guard let value = content[key] else { return nil }
        guard let text = value.string else {
            throw .invalid("event.content.\(key)", "must be a string, not \(value.kindName)")
        }
        return text
    }

    /// A text that the content must have, encoded as one segment of a path.
    ///
    /// - Throws: 422 naming the member; also for a dot segment, which would name another path (RFC
    ///   3986, section 3.3).
    package func pathSegment(_ key: String) throws(Rejection) -> String {
        let text = try text(key)
        guard text != ".", text != ".." else {
            throw .invalid("event.content.\(key)", "must not be \(text)")
        }
        return WebAddress.percentEncoded(text)
    }
}

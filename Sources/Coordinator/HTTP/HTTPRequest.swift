/// One request of HTTP/1.1 or HTTP/1.0, read whole.
package struct HTTPRequest: Sendable, Equatable {
    /// The method as it was sent; names are told apart by case.
    package var method: String
    /// The path as it was sent, percent signs included; it begins with `/`, or is `*`.
    package var path: String
    /// What stands behind `?`, as it was sent; nil without a question mark.
    package var query: String?
    /// Whether the version is 1.1; else it is 1.0.
    package var isVersion11: Bool
    /// The header, without the trailers of a chunked body.
    package var fields: HTTPFields
    /// The host that was asked, with its port where it was given; empty when the client has none.
    package var host: String
    /// The body; empty when there is none.
    package var body: [UInt8] = []

    /// A request without a body.
    package init(
        method: String, path: String, query: String?, isVersion11: Bool, fields: HTTPFields,
        host: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.isVersion11 = isVersion11
        self.fields = fields
        self.host = host
    }

    /// Whether the connection may serve another request after this one (RFC 9112, section 9.3).
    package var keepsAlive: Bool {
        let options = fields.list("connection")
        if options.contains("close") { return false }
        return isVersion11 || options.contains("keep-alive")
    }

    /// The protocol that the client wants to go on with, in lower case (RFC 9110, section 7.8).
    ///
    /// The first byte behind the request may already belong to it.
    package var upgrade: String? {
        guard isVersion11, fields.list("connection").contains("upgrade") else { return nil }
        return fields.only("upgrade")?.lowercased()
    }

    /// The decoded query; nil when a part of it is not UTF-8 or badly encoded.
    package var parameters: HTTPParameters? { HTTPParameters(query ?? "") }

    /// The decoded value of the first query parameter of this name; nil when there is none.
    package func parameter(_ name: String) -> String? { parameters?[name] }

    /// Whether there is a body, also when it is still to come.
    package var hasBody: Bool {
        !fields.values("transfer-encoding").isEmpty
            || fields.list("content-length").contains { $0.contains { $0 != "0" } }
    }

    /// Whether a body's length or its chunks are announced (RFC 9110, section 15.5.12).
    package var announcesBody: Bool {
        !fields.values("transfer-encoding").isEmpty || !fields.values("content-length").isEmpty
    }

    /// Whether the body is said to be JSON, with whatever parameters (RFC 9110, section 8.3).
    package var isJSON: Bool {
        guard let type = fields.only("content-type") else { return false }
        let essence = type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return essence.lowercased() == "application/json"
    }

    /// The decoded segments of the path; nil when one of them is not UTF-8 or badly encoded.
    package var segments: [String]? {
        var decoded: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let text = PercentEncoding.decode(segment, plusIsBlank: false) else { return nil }
            decoded.append(text)
        }
        return decoded
    }
}

/// Octets as `%` and two hexadecimal digits (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// The text behind the encoding; nil when a digit is missing or the octets are not UTF-8.
    package static func decode(_ text: Substring, plusIsBlank: Bool) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(ASCII.hexadecimal),
                    let low = rest.popFirst().flatMap(ASCII.hexadecimal)
                else { return nil }
                octets.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: octets.append(UInt8(ascii: " "))
            default: octets.append(byte)
            }
        }
        return String(validating: octets, as: UTF8.self)
    }
}

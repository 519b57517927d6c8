/// The answer to a request; the connection adds what belongs to it (RFC 9112).
package struct HTTPResponse: Sendable, Equatable {
    /// The status.
    package var status: HTTPStatus
    /// The type of the body.
    package var contentType: String
    /// The body, which an answer to HEAD is only told the length of.
    package var body: [UInt8]
    /// Further fields; their names and values are the server's own.
    package var fields: HTTPFields

    /// An answer that nobody may keep, unless `fields` say otherwise.
    package init(
        _ status: HTTPStatus, contentType: String, body: [UInt8], fields: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.fields = fields
    }

    /// A JSON document.
    package static func json(_ status: HTTPStatus, _ value: JSON) -> HTTPResponse {
        HTTPResponse(
            status, contentType: "application/json",
            body: JSONWriter.bytes(of: value) + [ASCII.lineFeed])
    }

    /// An error as a problem document (RFC 9457); a `temporary` one may be over soon.
    package static func problem(
        _ status: HTTPStatus, _ detail: String, temporary: Bool = false
    ) -> HTTPResponse {
        var members = JSONObject()
        members.append("type", "about:blank")
        members.append("title", .string(status.phrase))
        members.append("status", .integer(status.rawValue))
        members.append("detail", .string(detail))
        if temporary { members.append("temporary", true) }
        var response = json(status, .object(members))
        if temporary { response.fields.append("retry-after", "\(retrySeconds)") }
        response.contentType = "application/problem+json"
        return response
    }

    /// Done, and there is nothing to say.
    package static let noContent = HTTPResponse(.noContent, contentType: "", body: [])

    /// The answer to a request that could not be read.
    package init(_ fault: HTTPFault) {
        self = .problem(fault.status, fault.detail)
    }

    /// The line that tells a client to go on with the body.
    package static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Writes the answer behind `bytes`.
    ///
    /// - Parameters:
    ///   - date: the value of the Date field.
    ///   - keepsAlive: whether the connection takes another request.
    ///   - isHead: whether the body is left out.
    ///   - bytes: where it goes.
    package func encode(
        date: String, keepsAlive: Bool, isHead: Bool, into bytes: inout [UInt8]
    ) {
        var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
        head += "Date: \(date)\r\n"
        // No content has neither type nor length (RFC 9110, section 8.6).
        if status != .noContent {
            head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        }
        if fields.values("cache-control").isEmpty { head += "Cache-Control: no-store\r\n" }
        for field in fields.fields { head += "\(field.name): \(field.value)\r\n" }
        head += "X-Content-Type-Options: nosniff\r\n"
        head += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
        bytes.append(contentsOf: head.utf8)
        if !isHead { bytes.append(contentsOf: body) }
    }
}

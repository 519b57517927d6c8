extension HTTPStatus {
    /// The status of an answer with this error (contract: protocol, Errors).
    package init(errorCode code: UInt32) {
        self =
            switch code {
            case 101, 109, 110: .unauthorized
            case 102, 104: .notFound
            case 103: .forbidden
            case 105, 409: .conflict
            case 106, 111: .tooManyRequests
            case 107: .badRequest
            case 108: .notImplemented
            case 112: .gone
            case 422: .unprocessableContent
            case 423: .locked
            case 503: .serviceUnavailable
            default: .internalServerError
            }
    }
}

extension HTTPResponse {
    /// Seconds after which a temporary error may be over.
    static let retrySeconds = 1

    /// An error of the protocol as a problem document with its code (RFC 9457).
    package init(_ error: ReplyError) {
        let status = HTTPStatus(errorCode: error.code)
        var members = JSONObject()
        members.append("type", "about:blank")
        members.append("title", .string(status.phrase))
        members.append("status", .integer(status.rawValue))
        members.append("detail", .string(error.message))
        members.append("code", .integer(error.code))
        if error.temporary { members.append("temporary", true) }
        self = .json(status, .object(members))
        contentType = "application/problem+json"
        if error.temporary { fields.append("retry-after", "\(Self.retrySeconds)") }
    }

    /// A JSON document that is written already.
    package init(document: [UInt8]) {
        self.init(
            .ok, contentType: "application/json", body: document + [UInt8(ascii: "\n")])
    }

    /// Publications with the newest position, as `history` of a session's channel has them.
    package init(_ history: Reply.History) {
        var writer = JSONWriter(capacity: 1024)
        writer.raw("{\"epoch\":")
        writer.string(history.position.epoch)
        writer.raw(",\"offset\":")
        writer.integer(history.position.offset)
        writer.raw(",\"publications\":[")
        for (index, publication) in history.publications.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.raw("{\"data\":")
            writer.raw(publication.data)
            if let offset = publication.offset {
                writer.raw(",\"offset\":")
                writer.integer(offset)
            }
            writer.raw("}")
        }
        writer.raw("]}")
        self.init(document: writer.bytes)
    }
}

/// The body of `POST /v1/sessions/{id}/events` (contract: protocol, HTTP).
package enum EventBody {
    /// Levels that are accepted: an event may be as deep here as in a line, where it stands two
    /// levels further down.
    private static let maximumDepth = JSONParser.maximumDepth - 2

    /// Bytes of an idempotency id (contract: protocol, Methods).
    private static let idBytes = 1...64

    /// Reads an event with its conditions.
    ///
    /// - Throws: 107 for what is not `{"event","id"?,"ifRev"?}`.
    package static func read(_ body: [UInt8]) throws(ReplyError) -> SessionCall.Application {
        let document = try object(body, maximumDepth: maximumDepth)
        if let defect = document.defects(outside: ["event"]).first {
            throw .badRequest("\(defect.location(from: "body")): \(defect.kind)")
        }
        let fields = try RequestFields(document, path: "body")
        guard let event = fields.document("event") else {
            throw .badRequest("body.event is missing")
        }
        let id = try fields.string("id")
        if let id, !idBytes.contains(id.utf8.count) {
            throw .badRequest("body.id must have 1–64 bytes")
        }
        return SessionCall.Application(
            event: event, id: id, ifRev: try fields.unsigned("ifRev"))
    }

    /// Parses a body that must be an object.
    static func object(
        _ body: [UInt8], maximumDepth: Int = JSONParser.maximumDepth
    ) throws(ReplyError) -> JSONDocument {
        do throws(JSONError) {
            return try JSONParser.parse(body.span, maximumDepth: maximumDepth)
        } catch {
            throw .badRequest("the body is not JSON: \(error.message) at byte \(error.offset)")
        }
    }
}

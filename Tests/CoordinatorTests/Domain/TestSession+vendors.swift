import Coordinator
import TestSupport

/// What tests of a vendor's page need beside the events.
extension TestSession {
    /// A session with content of a vendor loaded on `phone`; the page is not ready.
    static func loading(
        _ vendor: String, _ content: String, options: String = "{}", policy: Policy = Policy()
    ) throws -> TestSession {
        var session = try staged(policy: policy)
        try session.load(vendor, content, options: options)
        return session
    }

    @discardableResult
    mutating func load(
        _ vendor: String, _ content: String, options: String = "{}"
    ) throws -> Outcome {
        try send(
            #"{"type":"player.load","vendor":"\#(vendor)","content":\#(content),"options":\#(options)}"#
        )
    }

    /// Applies a message of a page's handler.
    @discardableResult
    mutating func post(_ handler: String, _ body: String = "{}") throws -> Outcome {
        try send(Self.message(handler, body))
    }

    static func message(_ handler: String, _ body: String = "{}") -> String {
        #"{"type":"bridge","handler":"\#(handler)","body":\#(body)}"#
    }

    @discardableResult
    mutating func navigate(_ phase: String, _ url: String? = nil) throws -> Outcome {
        let url = url.map { #","url":\#(JSONWriter.text(of: .string($0)))"# } ?? ""
        return try send(#"{"type":"device.navigation","phase":"\#(phase)"\#(url)}"#)
    }

    @discardableResult
    mutating func pip(_ phase: String) throws -> Outcome {
        try send(#"{"type":"device.pip","phase":"\#(phase)"}"#)
    }

    /// Goes on with what a store would bring back.
    mutating func restart() throws {
        let vault = try StoredMirror.vault()
        viewing = Viewing(
            state: try SessionState(stored: viewing.state.json),
            memory: try SessionMemory(stored: viewing.memory.document(vault), vault))
    }

    /// What everybody may read of an event that was applied.
    func shown(_ event: String, _ outcome: Outcome) throws -> String {
        let published = Redaction.publishable(
            try JSONParser.parse(text: event).root, policy: policy)
        let parts =
            [viewing.state.json, outcome.patch, published, outcome.published ?? .null]
            + outcome.warnings.map(\.json)
        return parts.map { JSONWriter.text(of: $0) }.joined(separator: "\n")
    }
}

extension Outcome {
    /// The effects without their numbers.
    var orders: [JSON] {
        effects.map { effect in
            var object = effect.json.object ?? JSONObject()
            object["seq"] = nil
            object["rev"] = nil
            return .object(object)
        }
    }

    var codes: [String] { warnings.map(\.code) }
}

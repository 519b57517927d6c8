package import Coordinator

/// A transcript: events of one session, one a line, each with what must come of it.
///
/// A line is a comment (`note`), a definition (`define`), settings (`configuration`) or a step: `at`,
/// `by`, one of `event`, `attach`, `detach`, `take`, `ack`, `expire`, and `expect`. What `expect`
/// does not name must not happen.
package struct Transcript: Sendable {
    /// A line that is no transcript line.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// Counted from 1.
        package var line: Int
        /// What is wrong with it.
        package var message: String

        /// The line and what is wrong with it.
        package var description: String { "line \(line): \(message)" }
    }

    /// What a step does to the session.
    package enum Action: Sendable, Equatable {
        case event(JSONDocument)
        case attach(facts: JSON?)
        case detach
        case take
        case acknowledge(done: [UInt64], failed: [EffectFailure])
        case expire(String)
    }

    /// One step and what is expected of it.
    package struct Step: Sendable {
        /// Counted from 1.
        package var line: Int
        /// When it happens.
        package var at: Instant
        /// The device that acts; nil for the session itself and the HTTP API.
        package var device: String?
        /// The role it acts in.
        package var role: Role
        /// What it does.
        package var action: Action
        /// What is expected.
        package var expected: JSONObject
    }

    /// The steps, in order.
    package private(set) var steps: [Step] = []
    /// The settings that the steps are played with.
    package private(set) var policy = Policy()

    /// Nesting of a line: an event of full depth, and the line around it.
    private static let maximumDepth = JSONParser.maximumDepth + 8

    /// Reads a transcript.
    ///
    /// - Throws: ``Problem`` naming the first bad line.
    package init(text: String) throws(Problem) {
        var definitions: [String: JSON] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            do throws(Fault) {
                try read(String(line), number: index + 1, &definitions)
            } catch {
                throw Problem(line: index + 1, message: error.message)
            }
        }
    }

    private mutating func read(
        _ line: String, number: Int, _ definitions: inout [String: JSON]
    ) throws(Fault) {
        let document: JSONDocument
        do {
            document = try JSONParser.parse(text: line, maximumDepth: Self.maximumDepth)
        } catch {
            throw Fault(error.description)
        }
        guard let object = document.root.object else { throw Fault("must be an object") }
        for definition in object["define"]?.object?.members ?? [] {
            definitions[definition.key] = definition.value.replacing(definitions)
        }
        if let configuration = object["configuration"] {
            guard steps.isEmpty else { throw Fault("configuration must come before the steps") }
            try policy.configure(configuration)
        }
        guard object["at"] != nil || object["by"] != nil else {
            let known: Set = ["note", "define", "configuration"]
            for member in object.members where !known.contains(member.key) {
                throw Fault("the member \(member.key) needs at and by")
            }
            return
        }
        steps.append(try Step(document, number: number, definitions))
    }

    struct Fault: Error {
        var message: String

        init(_ message: String) { self.message = message }
    }
}

extension Transcript.Step {
    init(
        _ document: JSONDocument, number: Int, _ definitions: [String: JSON]
    ) throws(Transcript.Fault) {
        let line = document.root.replacing(definitions)
        guard let at = line["at"]?.number?.signed else { throw Transcript.Fault("at is missing") }
        guard let role = line["by"]?["role"]?.string.flatMap(Role.init) else {
            throw Transcript.Fault("by.role is missing")
        }
        guard let expected = line["expect"]?.object else {
            throw Transcript.Fault("expect is missing")
        }
        let known: Set = [
            "rev", "patch", "unchanged", "signal", "error", "effects", "warnings", "answer",
            "state", "pending",
        ]
        for member in expected.members where !known.contains(member.key) {
            throw Transcript.Fault("expect.\(member.key) is unknown")
        }
        let kinds = ["patch", "unchanged", "signal", "error"].filter { expected[$0] != nil }
        guard kinds.count == 1 else {
            throw Transcript.Fault("expect needs one of patch, unchanged, signal, error")
        }
        self.line = number
        self.at = Instant(milliseconds: at)
        self.role = role
        self.expected = expected
        device = line["by"]?["device"]?.string
        action = try Self.action(line, document)
    }

    private static func action(
        _ line: JSON, _ document: JSONDocument
    ) throws(Transcript.Fault) -> Transcript.Action {
        if let event = line["event"] {
            let defects = document.subdocument("event")?.defects ?? []
            return .event(JSONDocument(root: event, defects: defects))
        }
        if let attach = line["attach"] { return .attach(facts: attach["facts"]) }
        if line["detach"] != nil { return .detach }
        if line["take"] != nil { return .take }
        if let name = line["expire"]?.string { return .expire(name) }
        if let verdicts = line["ack"] {
            let done = (verdicts["done"]?.array ?? []).compactMap { $0.number?.unsigned }
            var failed: [EffectFailure] = []
            for failure in verdicts["failed"]?.array ?? [] {
                guard let seq = failure["seq"]?.number?.unsigned else {
                    throw Transcript.Fault("ack.failed needs seq")
                }
                failed.append(
                    EffectFailure(
                        seq: seq, code: failure["code"]?.string ?? "",
                        message: failure["message"]?.string ?? ""))
            }
            return .acknowledge(done: done, failed: failed)
        }
        throw Transcript.Fault("one of event, attach, detach, take, ack, expire is missing")
    }
}

extension JSON {
    /// The value with every string that names a definition replaced by what it stands for.
    fileprivate func replacing(_ definitions: [String: JSON]) -> JSON {
        switch self {
        case .null, .bool, .number: self
        case .string(let text): definitions[text] ?? self
        case .array(let elements): .array(elements.map { $0.replacing(definitions) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map {
                        JSONObject.Member(key: $0.key, value: $0.value.replacing(definitions))
                    }))
        }
    }
}

package import Coordinator

/// A golden transcript: steps of one session and what each must bring (Docs/Transcripts.md).
package struct Transcript: Sendable {
    /// One line that does something.
    struct Step: Sendable {
        var line: Int
        var object: JSONObject
        /// What is wrong with the event although it is JSON, such as a doubled key.
        var eventDefects: [JSONDocument.Defect]
    }

    /// Nesting of a line: an event of full depth, and the line around it.
    private static let maximumDepth = JSONParser.maximumDepth + 2

    private static let expectations: Set = [
        "rev", "patch", "unchanged", "signal", "error", "effects", "warnings", "answer", "state",
        "pending",
    ]

    private(set) var steps: [Step] = []
    private(set) var configuration = JSONObject()

    /// Why a text is no transcript.
    package struct Malformed: Error, CustomStringConvertible {
        /// The line and what is wrong with it.
        package var description: String
    }

    /// Reads JSON lines: notes, definitions, configuration and steps.
    ///
    /// - Throws: ``Malformed``.
    package init(_ text: String) throws(Malformed) {
        var definitions = JSONObject()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            let document: JSONDocument
            do throws(JSONError) {
                document = try JSONParser.parse(
                    text: String(line), maximumDepth: Self.maximumDepth)
            } catch {
                throw Malformed(description: "line \(index + 1): \(error)")
            }
            guard let object = document.root.object else {
                throw Malformed(description: "line \(index + 1): not an object")
            }
            if let define = object["define"]?.object {
                for member in define.members { definitions[member.key] = member.value }
            } else if let given = object["configuration"]?.object {
                configuration = given
            } else if object["at"] != nil {
                guard let step = Self.replace(.object(object), definitions).object else { continue }
                let defects = document.subdocument("event")?.defects ?? []
                steps.append(Step(line: index + 1, object: step, eventDefects: defects))
            } else if object.members.contains(where: { $0.key != "note" }) {
                throw Malformed(description: "line \(index + 1): neither a step nor a note")
            }
            for member in object["expect"]?.object?.members ?? []
            where !Self.expectations.contains(member.key) {
                throw Malformed(
                    description: "line \(index + 1): expect.\(member.key) is unknown")
            }
        }
    }

    private static func replace(_ value: JSON, _ definitions: JSONObject) -> JSON {
        switch value {
        case .string(let text):
            guard text.hasPrefix("$"), let definition = definitions[text] else { return value }
            return replace(definition, JSONObject())
        case .array(let elements): return .array(elements.map { replace($0, definitions) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map {
                        JSONObject.Member(key: $0.key, value: replace($0.value, definitions))
                    }))
        case .null, .bool, .number: return value
        }
    }

    /// Plays the steps on a new session; gives one line for each expectation that is not met.
    package func mismatches() -> [String] {
        var player = TranscriptPlayer(configuration)
        return steps.flatMap { player.play($0) }
    }

    /// Plays the steps on a new session and gives the session after each of them.
    package func sessions() -> [Viewing] {
        var player = TranscriptPlayer(configuration)
        return steps.map { step in
            _ = player.play(step)
            return player.viewing
        }
    }
}

/// Reads the lines of a transcript and names everything that is wrong with them.
struct TranscriptReader {
    /// Faults so far.
    var faults: [TranscriptFault] = []
    /// Steps so far.
    private(set) var steps: [TranscriptStep] = []
    /// The settings, once they were read.
    private(set) var configuration: Transcript.Configuration?
    private var definitions = JSONObject()

    /// Nesting of a line: an event of full depth, and the line around it.
    private static let maximumDepth = JSONParser.maximumDepth + 2
    private static let directives = ["note", "define", "configuration"]

    /// Reads all lines; blank ones are passed over.
    mutating func read(_ bytes: [UInt8]) {
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isBlank { read(Array(line), number) }
        }
    }

    private mutating func read(_ line: [UInt8], _ number: Int) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONParser.parse(line.span, maximumDepth: Self.maximumDepth)
        } catch {
            return report(number, nil, "not JSON: \(error)")
        }
        guard let object = document.root.object else {
            return report(number, nil, "found \(document.root.kindName); allowed: an object")
        }
        for defect in document.defects(outside: ["event"]) {
            report(number, defect.location, defect.kind.description)
        }
        let others = object.members.map(\.key).filter { !Self.directives.contains($0) }
        if object["note"] != nil, object["note"]?.string == nil {
            report(number, "note", "allowed: a text")
        }
        if others.isEmpty {
            define(object["define"], number)
            configure(object["configuration"], number)
            return
        }
        for key in ["define", "configuration"] where object[key] != nil {
            report(number, key, "allowed: on a line of its own")
        }
        var reader = TranscriptLineReader(
            line: number,
            document: JSONDocument(
                root: replace(document.root, definitions), defects: document.defects))
        if let step = reader.step() {
            if let last = steps.last, step.at < last.at {
                reader.faults.append(
                    TranscriptFault(
                        line: number, path: "at",
                        reason: "found \(step.at.milliseconds), which is before line \(last.line); "
                            + "allowed: \(last.at.milliseconds) or later"))
            }
            steps.append(step)
        }
        faults += reader.faults
    }

    private mutating func report(_ line: Int, _ path: String?, _ reason: String) {
        faults.append(TranscriptFault(line: line, path: path, reason: reason))
    }

    private mutating func define(_ value: JSON?, _ line: Int) {
        guard let value else { return }
        guard let object = value.object else {
            return report(line, "define", "found \(value.kindName); allowed: an object")
        }
        for member in object.members {
            if member.key.hasPrefix("$") {
                definitions[member.key] = member.value
            } else {
                report(line, "define.\(member.key)", "allowed: names that begin with $")
            }
        }
    }

    private mutating func configure(_ value: JSON?, _ line: Int) {
        guard let value else { return }
        guard let object = value.object else {
            return report(line, "configuration", "found \(value.kindName); allowed: an object")
        }
        guard configuration == nil, steps.isEmpty else {
            return report(line, "configuration", "allowed: once, before the first step")
        }
        configuration = Transcript.Configuration(line: line, values: object)
    }

    private func replace(_ value: JSON, _ definitions: JSONObject) -> JSON {
        switch value {
        case .string(let text): text.hasPrefix("$") ? definitions[text] ?? value : value
        case .array(let elements): .array(elements.map { replace($0, definitions) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map {
                        .init(key: $0.key, value: replace($0.value, definitions))
                    }))
        case .null, .bool, .number: value
        }
    }
}

extension JSONDocument.Defect {
    /// The path from the root of a line.
    fileprivate var location: String {
        let whole = location(from: "")
        return whole.hasPrefix(".") ? String(whole.dropFirst()) : whole
    }
}

package import Coordinator

/// Text from elsewhere, made harmless for a terminal.
package enum PlainText {
    /// The text with everything that could steer a terminal, or hide or reorder text, written out
    /// as `\u{…}`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            if isHarmful(scalar) {
                output += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    /// A JSON text on one line with the same scalars as JSON escapes; it stays the same JSON value.
    package static func json(_ value: JSON) -> String {
        let text = JSONWriter.text(of: value)
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            guard isHarmful(scalar) else {
                output.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return output
    }

    /// A JSON value over several lines, two blanks a level.
    package static func indentedJSON(_ value: JSON, level: Int = 0) -> String {
        let inner = String(repeating: "  ", count: level + 1)
        let outer = String(repeating: "  ", count: level)
        switch value {
        case .object(let object) where !object.isEmpty:
            let members = object.members.map { member in
                inner + json(.string(member.key)) + ": "
                    + indentedJSON(member.value, level: level + 1)
            }
            return "{\n" + members.joined(separator: ",\n") + "\n" + outer + "}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + indentedJSON($0, level: level + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + outer + "]"
        default: return json(value)
        }
    }

    /// Controls, line and paragraph separators, and invisible or direction-changing marks.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}

package import Coordinator

/// Text for a log or a terminal in which nothing can end the line or move the cursor.
///
/// What a client sends may end up in a log line. Control characters, line and paragraph separators
/// and marks that turn the writing direction are therefore written as JSON escapes.
package enum LogText {
    /// The longest text of one value, in Unicode scalars; a longer one is cut.
    package static let maximumScalars = 2048

    /// Plain text without quotes, with escapes.
    package static func escaped(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in limited(text).unicodeScalars {
            switch scalar {
            case "\n": output.append(contentsOf: "\\n".unicodeScalars)
            case "\r": output.append(contentsOf: "\\r".unicodeScalars)
            case "\t": output.append(contentsOf: "\\t".unicodeScalars)
            case "\\": output.append(contentsOf: "\\\\".unicodeScalars)
            default: append(scalar, to: &output)
            }
        }
        return String(output)
    }

    /// A JSON text that is safe to show; it parses to the same value unless a text was cut.
    package static func json(_ value: JSON) -> String {
        var output = String.UnicodeScalarView()
        for scalar in JSONWriter.text(of: shortened(value)).unicodeScalars {
            append(scalar, to: &output)
        }
        return String(output)
    }

    /// The text of a string where it cannot be misread, else the JSON text of the value.
    static func bare(_ value: JSON) -> String {
        guard case .string(let text) = value, !text.isEmpty, text.utf8.count <= maximumScalars,
            text.utf8.allSatisfy(isPlain)
        else { return json(value) }
        return text
    }

    /// Visible ASCII without quote, backslash and equals sign.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "="): false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to output: inout String.UnicodeScalarView)
    {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            // Scalars beyond 16 bits need two escapes.
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.utf8.count)
                output.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        default: output.append(scalar)
        }
    }

    private static func limited(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: maximumScalars, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    private static func shortened(_ value: JSON) -> JSON {
        switch value {
        case .string(let text): .string(limited(text))
        case .array(let elements): .array(elements.map(shortened))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map {
                        JSONObject.Member(key: limited($0.key), value: shortened($0.value))
                    }))
        case .null, .bool, .number: value
        }
    }
}

import Coordinator

/// How a log line is written.
package enum LogFormat: Sendable {
    /// Time, level, message and `key=value`, for people.
    case text
    /// One JSON object, for programs.
    case json

    /// The line for `record`, with its line feed.
    package func line(for record: LogRecord) -> [UInt8] {
        var line =
            switch self {
            case .text: Self.text(record)
            case .json: Self.json(record)
            }
        line.append("\n")
        return Array(line.utf8)
    }

    private static func text(_ record: LogRecord) -> String {
        let level = record.level.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(1, 8 - level.utf8.count))
        var line = CivilTime(record.time).text + " " + level + padding
        line += LogText.escaped(record.message)
        for field in record.fields {
            line += " \(LogText.escaped(field.key))=\(LogText.bare(field.value))"
        }
        return line
    }

    private static func json(_ record: LogRecord) -> String {
        var object = JSONObject()
        object.append("time", .string(CivilTime(record.time).text))
        object.append("level", .string(record.level.rawValue))
        object.append("message", .string(record.message))
        for field in record.fields { object.append(field.key, field.value) }
        return LogText.json(.object(object))
    }
}

import Actors
package import Coordinator

/// One thing that is wrong with the configuration.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The file, `environment NAME` or `flag --name`.
    package var source: String
    /// The dotted path; nil when the problem is the file as a whole.
    package var key: String?
    /// What was found and what is allowed.
    package var message: String

    /// A problem in words.
    package init(source: String, key: String?, message: String) {
        self.source = source
        self.key = key
        self.message = message
    }

    /// One line; nothing in it can end the line.
    package var description: String {
        let place = key.map { "\(source): \($0)" } ?? source
        return LogText.escaped("\(place): \(message)")
    }

    /// For `check-config --json`.
    package var json: JSON {
        var object = JSONObject()
        object.append("source", .string(source))
        object.append("key", ifPresent: key.map { .string($0) })
        object.append("message", .string(message))
        return .object(object)
    }

    /// What kind of value a secret is, and nothing more of it.
    static func measured(_ value: JSON) -> String {
        value.string.map { "a text of \($0.utf8.count) bytes" } ?? value.kindName
    }

    /// A value as a message shows it, cut when it is long.
    static func shown(_ value: JSON) -> String {
        let text = JSONWriter.text(of: value)
        return text.unicodeScalars.count <= 80 ? text : String(text.prefix(80)) + "…"
    }
}

/// All that is wrong with the configuration.
package struct ConfigurationProblems: Error, Sendable, Equatable {
    /// At least one, in the order they were found.
    package var list: [ConfigurationProblem]
}

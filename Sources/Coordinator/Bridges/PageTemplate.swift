/// A page with one place for the player's configuration.
package struct PageTemplate: Sendable, Equatable {
    /// Why a text is no template.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// What is wrong, and where.
        package var description: String
    }

    private let before: String
    private let after: String

    /// The placeholder that stands for the configuration object.
    package static let placeholder = "{{config}}"

    /// Splits a text at its placeholder.
    ///
    /// - Throws: ``Problem`` when it is missing, doubled, or another `{{…}}` is there.
    package init(_ text: String) throws(Problem) {
        let pieces = Self.split(text, at: "{{")
        guard pieces.count > 1 else {
            throw Problem(description: "the placeholder {{config}} is missing")
        }
        guard pieces.count == 2 else {
            throw Problem(description: "{{ stands \(pieces.count - 1) times; once is allowed")
        }
        guard pieces[1].hasPrefix("config}}") else {
            let name = pieces[1].prefix { $0 != "}" }.prefix(40)
            throw Problem(description: "the placeholder {{\(name)}} is unknown; use {{config}}")
        }
        before = pieces[0]
        after = String(pieces[1].dropFirst("config}}".count))
    }

    private init(before: String, after: String) {
        self.before = before
        self.after = after
    }

    /// A page that holds nothing but the configuration.
    package static let plain = PageTemplate(
        before: "<!doctype html><script>window.configuration = ", after: "</script>")

    /// The page with a configuration object.
    package func filled(with configuration: JSON) -> String {
        before + ScriptText.json(configuration) + after
    }

    private static func split(_ text: String, at mark: String) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var rest = Substring(text)
        while let first = rest.unicodeScalars.first {
            if rest.hasPrefix(mark) {
                pieces.append(piece)
                piece = ""
                rest = rest.dropFirst(mark.count)
            } else {
                piece.unicodeScalars.append(first)
                rest.unicodeScalars.removeFirst()
            }
        }
        return pieces + [piece]
    }
}

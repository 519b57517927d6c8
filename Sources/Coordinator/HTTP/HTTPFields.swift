/// The header fields of a message, in the order they came (RFC 9110, section 5).
package struct HTTPFields: Sendable, Equatable {
    /// One line of a header.
    package struct Field: Sendable, Equatable {
        /// The name in lower case.
        package var name: String
        /// The value without blanks around it.
        package var value: String

        /// A field; `name` is in lower case.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All lines.
    package private(set) var fields: [Field] = []

    /// No lines.
    package init() {}

    /// Adds a line; `name` is in lower case.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The values of all lines with a name in lower case.
    package func values(_ name: String) -> [String] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The value of the only line with a name in lower case; nil for none or several.
    package func only(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The elements of a comma-separated list, over all its lines, in lower case; empty ones count.
    package func list(_ name: String) -> [String] {
        values(name).flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { element in
                let trimmed = element.drop { $0 == " " || $0 == "\t" }
                let end = trimmed.lastIndex { $0 != " " && $0 != "\t" }
                return end.map { trimmed[...$0].lowercased() } ?? ""
            }
        }
    }
}

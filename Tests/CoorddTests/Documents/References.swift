import Coordinator

/// References inside a JSON document (`"$ref": "#/components/…"`).
enum References {
    /// The texts of all references.
    static func all(in value: JSON) -> [String] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                if member.key == "$ref", let text = member.value.string { return [text] }
                return all(in: member.value)
            }
        case .array(let elements): elements.flatMap { all(in: $0) }
        case .null, .bool, .number, .string: []
        }
    }

    /// What a reference leads to; nil when that is not in the document.
    static func find(_ reference: String, in document: JSON) -> JSON? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(Optional(document)) {
            $0?[String($1)]
        }
    }
}

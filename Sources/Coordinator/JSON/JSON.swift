/// A JSON value (RFC 8259) that keeps numbers as they were written.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

extension JSON: Equatable {
    /// Values are equal when their texts are, bar the order of an object's members.
    ///
    /// Strings are compared by their bytes: Swift's `==` also holds for texts that only look alike,
    /// and a patch that left such a change out would not fold to the state.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

extension JSON {
    /// An integer as a JSON number.
    package static func integer(_ value: some BinaryInteger) -> JSON {
        .number(JSONNumber(text: String(value)))
    }

    /// The members of an object; nil for any other kind of value.
    package var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The elements of an array; nil for any other kind of value.
    package var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The text of a string; nil for any other kind of value.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The truth of a boolean; nil for any other kind of value.
    package var bool: Bool? {
        guard case .bool(let truth) = self else { return nil }
        return truth
    }

    /// The number; nil for any other kind of value.
    package var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// Whether this is the value `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The first member named `key` of an object; nil when absent or not an object.
    package subscript(_ key: String) -> JSON? {
        object?[key]
    }

    /// What kind of value this is, as an error message names it.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A JSON string.
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    /// A JSON boolean.
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// A JSON number.
    package init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// A JSON array.
    package init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }

    /// A JSON object; members keep the order they are written in.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }
}

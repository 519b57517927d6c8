/// Reads the fields of somebody else's message: what is wrong is skipped and reported.
package struct BridgeFields {
    private let object: JSONObject
    /// The name of the object in its message.
    private let name: String
    /// What was wrong so far; a bridge adds it to those of its transition.
    package private(set) var warnings: [Warning] = []

    /// The members of `object`, which warnings call `name`.
    package init(_ object: JSONObject, of name: String = "payload") {
        self.object = object
        self.name = name
    }

    private mutating func skip(_ key: String, _ why: String) {
        warnings.append(Warning("bridge.badField", "\(name).\(key) \(why)"))
    }

    /// A text of at most `limit` bytes.
    package mutating func text(_ key: String, limit: Int = .max) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else {
            skip(key, "must be a string, not \(value.kindName)")
            return nil
        }
        guard text.utf8.count <= limit else {
            skip(key, "has more than \(limit) bytes")
            return nil
        }
        return text
    }

    /// A text that has to be there.
    package mutating func requiredText(_ key: String) -> String? {
        if object[key] == nil { skip(key, "is missing") }
        return text(key)
    }

    /// An http(s) address.
    package mutating func address(_ key: String) -> String? {
        guard let text = text(key) else { return nil }
        guard let address = WebAddress(text) else {
            skip(key, "is no http or https address")
            return nil
        }
        return address.text
    }

    /// A truth value.
    package mutating func bool(_ key: String) -> Bool? {
        guard let value = object[key] else { return nil }
        guard let truth = value.bool else {
            skip(key, "must be a boolean, not \(value.kindName)")
            return nil
        }
        return truth
    }

    /// A price, which must be more than one, or a stake.
    package mutating func amount(_ key: String, isPrice: Bool) -> Amount? {
        guard let value = object[key] else { return nil }
        guard let amount = Amount(value) else {
            skip(key, "is no amount")
            return nil
        }
        guard !isPrice || amount.isAboveOne else {
            skip(key, "must be more than 1")
            return nil
        }
        return amount
    }

    /// A finite length, as a number or as the text of one; a size must be above zero.
    package mutating func length(_ key: String, isSize: Bool = false) -> Double? {
        guard let value = object[key] else {
            skip(key, "is missing")
            return nil
        }
        guard let length = Self.finite(value) else {
            skip(key, "must be a finite number")
            return nil
        }
        guard !isSize || length > 0 else {
            skip(key, "must be more than 0")
            return nil
        }
        return length
    }

    /// A finite number, or the text of one.
    static func finite(_ value: JSON) -> Double? {
        switch value {
        case .number(let number): return number.double
        case .string(let text):
            // The parser lets blanks pass around the number, which its own text does not have.
            guard let number = try? JSONParser.parse(text: text).root.number, number.text == text
            else { return nil }
            return number.double
        case .null, .bool, .array, .object: return nil
        }
    }
}

/// Reads the fields of somebody else's message: what is wrong is skipped and reported.
struct BridgeFields {
    let object: JSONObject
    private(set) var warnings: [Warning] = []

    init(_ object: JSONObject) {
        self.object = object
    }

    private mutating func skip(_ key: String, _ why: String) {
        warnings.append(Warning("bridge.badField", "payload.\(key) \(why)"))
    }

    /// A text of at most `limit` bytes.
    mutating func text(_ key: String, limit: Int) -> String? {
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

    mutating func bool(_ key: String) -> Bool? {
        guard let value = object[key] else { return nil }
        guard let truth = value.bool else {
            skip(key, "must be a boolean, not \(value.kindName)")
            return nil
        }
        return truth
    }

    mutating func amount(_ key: String, isPrice: Bool) -> Amount? {
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

    /// A finite length, as a number or as the text of one.
    mutating func length(_ key: String) -> Double? {
        guard let value = object[key] else {
            skip(key, "is missing")
            return nil
        }
        let number: JSONNumber?
        switch value {
        case .number(let given): number = given
        case .string(let text):
            let parsed = try? JSONParser.parse(text: text)
            number = parsed?.root.number
        case .null, .bool, .array, .object: number = nil
        }
        guard let length = number?.double else {
            skip(key, "must be a finite number")
            return nil
        }
        return length
    }
}

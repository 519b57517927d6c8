/// Reads the fields of an event; what is wrong is named by its path.
struct EventFields {
    var object: JSONDocument
    let path: String
    let textBytes: Int

    private func at(_ key: String) -> String { "\(path).\(key)" }

    private func mistyped(_ key: String, _ wanted: String, _ value: JSONDocument) -> Rejection {
        .invalid(at(key), "must be \(wanted), not \(value.kindName)")
    }

    /// Where a value is; `null` counts as absent.
    private func place(_ key: String) -> Int? { object.tape.present(key, of: object.place) }

    /// The value; `null` counts as absent.
    func value(_ key: String) -> JSONDocument? {
        place(key).map { JSONDocument(object.tape, at: $0) }
    }

    func required<Value>(_ key: String, _ value: Value?) throws(Rejection) -> Value {
        guard let value else { throw .invalid(at(key), "is missing") }
        return value
    }

    /// A text of any length.
    func text(_ key: String) throws(Rejection) -> String? {
        guard let place = place(key) else { return nil }
        guard object.tape.nodes[place].kind == .string else {
            throw mistyped(key, "a string", JSONDocument(object.tape, at: place))
        }
        return object.tape.string(at: place)
    }

    /// An id or a field of a selection, bounded by `bounds.textBytes`.
    func bounded(_ key: String) throws(Rejection) -> String? {
        guard let text = try text(key) else { return nil }
        guard text.utf8.count <= textBytes else {
            throw .invalid(at(key), "has \(text.utf8.count) bytes, more than \(textBytes)")
        }
        return text
    }

    /// What went wrong: a text, or an object with `message` and perhaps `code`, as the state shows it.
    func fault(_ key: String) throws(Rejection) -> DeviceFact.Fault? {
        guard let value = value(key) else { return nil }
        if let text = value.string { return DeviceFact.Fault(message: text) }
        guard value.kind == .object, let fields = try nested(key) else {
            throw mistyped(key, "a string or an object", value)
        }
        return DeviceFact.Fault(
            code: try fields.bounded("code"),
            message: try fields.required("message", fields.text("message")))
    }

    func bool(_ key: String) throws(Rejection) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let truth = value.bool else { throw mistyped(key, "a boolean", value) }
        return truth
    }

    func finite(_ key: String) throws(Rejection) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = value.number else { throw mistyped(key, "a number", value) }
        guard let double = number.double else { throw .invalid(at(key), "is out of range") }
        return double
    }

    func unsigned(_ key: String) throws(Rejection) -> UInt64? {
        guard let value = value(key) else { return nil }
        guard let number = value.unsigned else {
            throw mistyped(key, "an unsigned integer", value)
        }
        return number
    }

    func choice<Choice: RawRepresentable<String>>(
        _ key: String, _ kind: Choice.Type
    ) throws(Rejection) -> Choice? {
        guard let text = try text(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw .invalid(at(key), "has no value \(text.prefix(40))")
        }
        return choice
    }

    func vendor(_ key: String, of policy: Policy) throws(Rejection) -> Vendor? {
        guard let text = try text(key) else { return nil }
        let vendor = Vendor(rawValue: text)
        guard policy.vendors.bridge(of: vendor) != nil else {
            throw .invalid(at(key), "has no value \(text.prefix(40))")
        }
        return vendor
    }

    /// All members as a tree.
    var members: JSONObject { object.root.object ?? JSONObject() }

    /// All members that are not named, without the null ones.
    func others(_ names: Set<String>, limit: Int) throws(Rejection) -> JSONObject {
        let members = object.members.filter { member in
            !member.value.isNull && !names.contains(member.key)
        }.map { JSONObject.Member(key: $0.key, value: $0.value.root) }
        guard !members.isEmpty else { return JSONObject() }
        let others = JSONObject(members)
        let size = JSONWriter.bytes(of: .object(others)).count
        guard size <= limit else {
            throw .invalid(path, "has \(size) bytes, more than \(limit)")
        }
        return others
    }

    func nested(_ key: String) throws(Rejection) -> EventFields? {
        guard let value = value(key) else { return nil }
        guard value.kind == .object else { throw mistyped(key, "an object", value) }
        return EventFields(object: value, path: at(key), textBytes: textBytes)
    }

    func objects(_ key: String) throws(Rejection) -> [EventFields]? {
        guard let value = value(key) else { return nil }
        guard value.kind == .array else { throw mistyped(key, "an array", value) }
        var fields: [EventFields] = []
        for element in value.elements {
            let place = "\(key)[\(fields.count)]"
            guard element.value.kind == .object else {
                throw mistyped(place, "an object", element.value)
            }
            fields.append(
                EventFields(object: element.value, path: at(place), textBytes: textBytes))
        }
        return fields
    }

    /// A price: more than one (contract: domain, section 4.4).
    func price(_ key: String) throws(Rejection) -> Amount? {
        guard let amount = try amount(key) else { return nil }
        guard amount.isAboveOne else { throw .invalid(at(key), "must be more than 1") }
        return amount
    }

    /// A stake or another amount, which cannot be negative.
    func amount(_ key: String) throws(Rejection) -> Amount? {
        // Unlike elsewhere, `null` is no way to leave an amount out (contract: domain, 4.4).
        guard let value = object[key] else { return nil }
        guard let amount = Amount(value) else {
            throw .invalid(
                at(key),
                "must be a number of at most \(Amount.maximumNumberDigits) digits, or text of at "
                    + "most \(Amount.maximumDigits) digits with at most one point")
        }
        return amount
    }
}

extension Amount {
    /// Reads a JSON number or numeric text; nil for everything else.
    init?(_ value: JSONDocument) {
        if let number = value.number {
            self.init(number)
        } else if let text = value.string {
            self.init(text: text)
        } else {
            return nil
        }
    }

    /// Reads a JSON number or numeric text; nil for everything else.
    init?(_ value: JSON) {
        switch value {
        case .number(let number): self.init(number)
        case .string(let text): self.init(text: text)
        case .null, .bool, .array, .object: return nil
        }
    }
}

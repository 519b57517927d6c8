/// The fields of one request, with the path that an error names.
///
/// `null` counts as absent, as SDKs write it for what they do not have.
struct RequestFields {
    private let object: JSONDocument
    private let path: String

    /// Takes the request `name` out of a command and refuses defects outside of its payload.
    init(_ command: JSONDocument, request: RequestName) throws(ReplyError) {
        let name = request.rawValue
        if command.hasDefects {
            let hasPayload = request == .publish || request == .rpc
            let outside =
                hasPayload ? command.defects(outside: [name, "data"]) : command.defects
            if let defect = outside.first, let first = defect.path.first {
                var place = defect
                place.path.removeFirst()
                throw .badRequest("\(place.location(from: first)): \(defect.kind)")
            }
        }
        guard let document = command[name] else {
            throw .badRequest("\(name) is missing")
        }
        try self.init(document, path: name)
        try check(request.fields)
    }

    init(_ document: JSONDocument, path: String) throws(ReplyError) {
        guard document.kind == .object else {
            throw .badRequest("\(path) must be an object, not \(document.kindName)")
        }
        object = document
        self.path = path
    }

    private func value(_ key: String) -> JSONDocument? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    private func mistyped(_ key: String, _ wanted: String, _ value: JSONDocument) -> ReplyError {
        .badRequest("\(path).\(key) must be \(wanted), not \(value.kindName)")
    }

    private func check(_ fields: [RequestName.Field]) throws(ReplyError) {
        for member in object.members {
            guard let field = fields.first(where: { member.isNamed($0.name) }) else { continue }
            switch field.kind {
            case .string: _ = try string(field.name)
            case .bool: _ = try bool(field.name)
            case .unsigned: _ = try unsigned(field.name)
            case .signed: _ = try signed(field.name)
            case .array: _ = try array(field.name)
            case .object: _ = try nested(field.name)
            }
        }
    }

    func has(_ key: String) -> Bool { value(key) != nil }

    func string(_ key: String) throws(ReplyError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw mistyped(key, "a string", value) }
        return text
    }

    func bool(_ key: String) throws(ReplyError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let truth = value.bool else { throw mistyped(key, "a boolean", value) }
        return truth
    }

    func unsigned(_ key: String) throws(ReplyError) -> UInt64? {
        guard let value = value(key) else { return nil }
        guard let number = value.number?.unsigned else {
            throw mistyped(key, "an unsigned integer", value)
        }
        return number
    }

    func signed(_ key: String) throws(ReplyError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let number = value.number?.signed else { throw mistyped(key, "an integer", value) }
        return number
    }

    func array(_ key: String) throws(ReplyError) -> JSONDocument.Members? {
        guard let value = value(key) else { return nil }
        guard value.kind == .array else { throw mistyped(key, "an array", value) }
        return value.elements
    }

    func required<Value>(_ key: String, _ value: Value?) throws(ReplyError) -> Value {
        guard let value else { throw .badRequest("\(path).\(key) is missing") }
        return value
    }

    func channel() throws(ReplyError) -> String {
        guard let name = try string("channel"), !name.isEmpty else {
            throw .badRequest("\(path).channel is missing")
        }
        return name
    }

    func document(_ key: String) -> JSONDocument? { value(key) }

    func requiredDocument(_ key: String) throws(ReplyError) -> JSONDocument {
        guard let found = object[key] else {
            throw .badRequest("\(path).\(key) is missing")
        }
        return found
    }

    func nested(_ key: String) throws(ReplyError) -> RequestFields? {
        guard let found = value(key) else { return nil }
        return try RequestFields(found, path: "\(path).\(key)")
    }
}

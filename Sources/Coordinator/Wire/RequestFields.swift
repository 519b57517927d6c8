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

    /// Where a value is that is not `null`.
    private func place(_ key: String) -> Int? { object.tape.present(key, of: object.place) }

    private func mistyped(_ key: String, _ wanted: String, _ place: Int) -> ReplyError {
        let value = JSONDocument(object.tape, at: place)
        return .badRequest("\(path).\(key) must be \(wanted), not \(value.kindName)")
    }

    private func check(_ fields: [RequestName.Field]) throws(ReplyError) {
        let tape = object.tape
        var name = object.place + 1
        while name < tape.next(after: object.place) {
            defer { name = tape.next(after: name) }
            guard let field = fields.first(where: { tape.isString($0.name, at: name) }) else {
                continue
            }
            switch field.kind {
            case .string:
                // Nobody needs its text yet.
                guard tape.nodes[name + 1].kind != .string else { continue }
                _ = try string(field.name)
            case .bool: _ = try bool(field.name)
            case .unsigned: _ = try unsigned(field.name)
            case .signed: _ = try signed(field.name)
            case .array: _ = try array(field.name)
            case .object: _ = try nested(field.name)
            }
        }
    }

    func has(_ key: String) -> Bool { place(key) != nil }

    func string(_ key: String) throws(ReplyError) -> String? {
        guard let place = place(key) else { return nil }
        guard object.tape.nodes[place].kind == .string else {
            throw mistyped(key, "a string", place)
        }
        return object.tape.string(at: place)
    }

    func bool(_ key: String) throws(ReplyError) -> Bool? {
        guard let place = place(key) else { return nil }
        guard let truth = JSONDocument(object.tape, at: place).bool else {
            throw mistyped(key, "a boolean", place)
        }
        return truth
    }

    func unsigned(_ key: String) throws(ReplyError) -> UInt64? {
        guard let place = place(key) else { return nil }
        guard let number = object.tape.unsigned(at: place) else {
            throw mistyped(key, "an unsigned integer", place)
        }
        return number
    }

    func signed(_ key: String) throws(ReplyError) -> Int64? {
        guard let place = place(key) else { return nil }
        guard let number = JSONDocument(object.tape, at: place).number?.signed else {
            throw mistyped(key, "an integer", place)
        }
        return number
    }

    func array(_ key: String) throws(ReplyError) -> JSONDocument.Members? {
        guard let place = place(key) else { return nil }
        let value = JSONDocument(object.tape, at: place)
        guard value.kind == .array else { throw mistyped(key, "an array", place) }
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

    func document(_ key: String) -> JSONDocument? {
        place(key).map { JSONDocument(object.tape, at: $0) }
    }

    func requiredDocument(_ key: String) throws(ReplyError) -> JSONDocument {
        guard let found = object[key] else {
            throw .badRequest("\(path).\(key) is missing")
        }
        return found
    }

    func nested(_ key: String) throws(ReplyError) -> RequestFields? {
        guard let found = document(key) else { return nil }
        return try RequestFields(found, path: "\(path).\(key)")
    }
}

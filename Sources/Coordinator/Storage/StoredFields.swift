/// The members of one stored object: each is taken once, and none may be left over.
struct StoredFields {
    private var members: [JSONObject.Member]

    /// The members of `json`, which must be an object.
    init(_ json: JSON) throws(StorageFault) {
        guard let object = json.object else { throw .expected("an object", not: json) }
        members = object.members
    }

    /// Takes a member out as it is; nil when absent.
    mutating func take(_ key: String) -> JSON? {
        guard let index = members.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else {
            return nil
        }
        return members.remove(at: index).value
    }

    /// Takes a member that may be absent and lets `read` make a value of it.
    mutating func optional<Value>(
        _ key: String, _ read: (JSON) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value? {
        guard let json = take(key) else { return nil }
        do throws(StorageFault) {
            return try read(json)
        } catch {
            throw error.within(key)
        }
    }

    /// Takes a member that must be there and lets `read` make a value of it.
    mutating func required<Value>(
        _ key: String, _ read: (JSON) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value {
        guard let value = try optional(key, read) else { throw StorageFault("missing", at: [key]) }
        return value
    }

    /// Takes a member that may be absent.
    mutating func optional<Value: Storable>(_ key: String) throws(StorageFault) -> Value? {
        try optional(key, Value.init(stored:))
    }

    /// Takes a member that must be there.
    mutating func required<Value: Storable>(_ key: String) throws(StorageFault) -> Value {
        try required(key, Value.init(stored:))
    }

    /// Checks that every member was taken.
    func end() throws(StorageFault) {
        guard let member = members.first else { return }
        throw StorageFault("unknown, or there twice", at: [member.key])
    }
}

/// A Protobuf message as fields in their order, for a client that shares nothing with the server.
struct ProtobufMessage {
    /// What a field holds.
    enum Value: Equatable {
        case number(UInt64)
        case bytes([UInt8])
    }

    /// Bytes that are no message.
    struct Fault: Error {}

    private var fields: [(name: Int, value: Value)] = []

    /// A message without fields, to be written.
    init() {}

    /// Reads all fields.
    init(_ bytes: [UInt8]) throws(Fault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let key = try Self.varint(&rest)
            switch key & 7 {
            case 0: fields.append((Int(key >> 3), .number(try Self.varint(&rest))))
            case 2: fields.append((Int(key >> 3), .bytes(try Self.lengthPrefixed(&rest))))
            default: throw Fault()
            }
        }
    }

    /// Splits a frame into its messages, each behind its length.
    static func messages(in frame: [UInt8]) throws(Fault) -> [[UInt8]] {
        var rest = frame[...]
        var messages: [[UInt8]] = []
        while !rest.isEmpty { messages.append(try lengthPrefixed(&rest)) }
        return messages
    }

    // MARK: Reading

    /// A number; zero when it is left out.
    func number(_ name: Int) -> UInt64 {
        guard case .number(let value)? = value(name) else { return 0 }
        return value
    }

    private func value(_ name: Int) -> Value? { fields.last { $0.name == name }?.value }

    func flag(_ name: Int) -> Bool { number(name) != 0 }

    /// Bytes; nil when they are left out.
    func bytes(_ name: Int) -> [UInt8]? {
        guard case .bytes(let value)? = value(name) else { return nil }
        return value
    }

    func text(_ name: Int) -> String { String(decoding: bytes(name) ?? [], as: UTF8.self) }

    /// A message inside; nil when it is left out.
    func message(_ name: Int) throws(Fault) -> ProtobufMessage? {
        guard let bytes = bytes(name) else { return nil }
        return try ProtobufMessage(bytes)
    }

    /// The messages of a repeated field.
    func messages(_ name: Int) throws(Fault) -> [ProtobufMessage] {
        var messages: [ProtobufMessage] = []
        for field in fields where field.name == name {
            guard case .bytes(let bytes) = field.value else { throw Fault() }
            messages.append(try ProtobufMessage(bytes))
        }
        return messages
    }

    // MARK: Writing

    mutating func set(_ name: Int, _ number: UInt64) {
        if number != 0 { fields.append((name, .number(number))) }
    }

    mutating func set(_ name: Int, _ flag: Bool) { set(name, flag ? 1 : 0) }

    mutating func set(_ name: Int, _ text: String?) {
        if let text, !text.isEmpty { fields.append((name, .bytes(Array(text.utf8)))) }
    }

    mutating func set(_ name: Int, bytes: [UInt8]?) {
        if let bytes { fields.append((name, .bytes(bytes))) }
    }

    /// A message inside, also when it is empty.
    mutating func set(_ name: Int, _ message: ProtobufMessage) {
        fields.append((name, .bytes(message.encoded)))
    }

    /// Its bytes, without their length.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            switch value {
            case .number(let number):
                Self.append(UInt64(name) << 3, to: &bytes)
                Self.append(number, to: &bytes)
            case .bytes(let content):
                Self.append(UInt64(name) << 3 | 2, to: &bytes)
                Self.append(UInt64(content.count), to: &bytes)
                bytes += content
            }
        }
        return bytes
    }

    /// Its bytes behind their length.
    var prefixed: [UInt8] {
        var bytes: [UInt8] = []
        let content = encoded
        Self.append(UInt64(content.count), to: &bytes)
        return bytes + content
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value > 0x7F {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { throw Fault() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Fault()
    }

    private static func lengthPrefixed(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let count = try varint(&bytes)
        guard count <= UInt64(bytes.count) else { throw Fault() }
        let content = Array(bytes.prefix(Int(count)))
        bytes.removeFirst(Int(count))
        return content
    }
}

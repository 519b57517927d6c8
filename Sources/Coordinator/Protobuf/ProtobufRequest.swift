/// The fields of one request in the Protobuf encoding, by their numbers.
///
/// Of a field that stands twice the last one counts, as everywhere in Protobuf.
struct ProtobufRequest: ~Copyable {
    private var values: [(number: UInt64, value: ProtobufFields.Value)] = []

    /// Fields that one request may have; SDKs send each once.
    private static let maximumFields = 64

    init(_ bytes: Span<UInt8>) throws(CommandFault) {
        var fields = ProtobufFields()
        do throws(ProtobufFault) {
            while let field = try fields.next(in: bytes) {
                if let index = values.firstIndex(where: { $0.number == field.number }) {
                    values[index].value = field.value
                } else {
                    guard values.count < Self.maximumFields else {
                        throw ProtobufFault("more than \(Self.maximumFields) fields")
                    }
                    values.append((field.number, field.value))
                }
            }
        } catch {
            throw .disconnect(.badRequest, detail: error.detail)
        }
    }

    private func value(_ number: UInt64) -> ProtobufFields.Value? {
        values.first { $0.number == number }?.value
    }

    func has(_ number: UInt64) -> Bool { value(number) != nil }

    /// 0 when absent.
    func varint(_ number: UInt64) throws(CommandFault) -> UInt64 {
        switch value(number) {
        case nil: return 0
        case .varint(let value): return value
        case .bytes, .fixed: throw Self.mistyped(number)
        }
    }

    /// Signed numbers are sent as 64 bits whatever their size is.
    func signed(_ number: UInt64) throws(CommandFault) -> Int64 {
        Int64(bitPattern: try varint(number))
    }

    func bool(_ number: UInt64) throws(CommandFault) -> Bool { try varint(number) != 0 }

    func range(_ number: UInt64) throws(CommandFault) -> Range<Int>? {
        switch value(number) {
        case nil: return nil
        case .bytes(let range): return range
        case .varint, .fixed: throw Self.mistyped(number)
        }
    }

    /// Empty when absent: the encoding does not tell these apart.
    func string(_ number: UInt64, _ bytes: Span<UInt8>) throws(CommandFault) -> String {
        guard let range = try range(number), !range.isEmpty else { return "" }
        let text = unsafe bytes.extracting(range).withUnsafeBufferPointer { bytes in
            unsafe String(validating: bytes, as: UTF8.self)
        }
        guard let text else {
            throw .disconnect(.badRequest, detail: "field \(number) is not UTF-8")
        }
        return text
    }

    /// The JSON text in a payload field; nil when it is absent or empty.
    ///
    /// It may nest as deeply as inside a line, where it is the third level.
    func document(_ number: UInt64, _ bytes: Span<UInt8>) throws(CommandFault) -> JSONDocument? {
        guard let range = try range(number), !range.isEmpty else { return nil }
        do throws(JSONError) {
            return try JSONParser.parse(
                bytes.extracting(range), maximumDepth: JSONParser.maximumDepth - 2)
        } catch {
            throw .disconnect(.badRequest, detail: error.description)
        }
    }

    private static func mistyped(_ number: UInt64) -> CommandFault {
        .disconnect(.badRequest, detail: "field \(number) has the wrong wire type")
    }
}

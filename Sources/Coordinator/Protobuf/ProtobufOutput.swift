/// Writes the fields of a Protobuf message; zero values are left out, messages never are.
///
/// The length of a message comes before it, so its fields are counted first; counting copies
/// nothing.
struct ProtobufOutput {
    private(set) var bytes: [UInt8]
    private var count = 0
    private let isCounting: Bool

    /// Writes behind `bytes`, which is empty until it is given back.
    init(takingOver bytes: inout [UInt8]) {
        self.bytes = []
        isCounting = false
        swap(&self.bytes, &bytes)
    }

    private init() {
        bytes = []
        isCounting = true
    }

    /// A message behind its length, as in a frame.
    mutating func delimited(_ write: (inout ProtobufOutput) -> Void) {
        let length = Self.count(write)
        varint(UInt64(length))
        if isCounting { count += length } else { write(&self) }
    }

    mutating func message(_ number: Int, _ write: (inout ProtobufOutput) -> Void) {
        tag(number, 2)
        delimited(write)
    }

    mutating func number(_ number: Int, _ value: UInt64) {
        guard value != 0 else { return }
        tag(number, 0)
        varint(value)
    }

    mutating func bool(_ number: Int, _ value: Bool) {
        self.number(number, value ? 1 : 0)
    }

    mutating func text(_ number: Int, _ value: String) {
        let length = value.utf8.count
        guard length > 0 else { return }
        tag(number, 2)
        varint(UInt64(length))
        if isCounting { count += length } else { bytes.append(contentsOf: value.utf8) }
    }

    mutating func data(_ number: Int, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        tag(number, 2)
        varint(UInt64(value.count))
        if isCounting { count += value.count } else { bytes.append(contentsOf: value) }
    }

    private static func count(_ write: (inout ProtobufOutput) -> Void) -> Int {
        var counter = ProtobufOutput()
        write(&counter)
        return counter.count
    }

    private mutating func tag(_ number: Int, _ wireType: UInt64) {
        varint(UInt64(number) << 3 | wireType)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(rest))
    }

    private mutating func put(_ byte: UInt8) {
        if isCounting { count += 1 } else { bytes.append(byte) }
    }
}

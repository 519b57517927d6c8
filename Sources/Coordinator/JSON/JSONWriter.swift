/// Writes JSON texts into one growing buffer, without blanks and without line ends.
package struct JSONWriter: Sendable {
    /// The text so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty writer with room for `capacity` bytes.
    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// A writer that goes on at the end of `bytes`, which are empty until they are given back.
    package init(takingOver bytes: inout [UInt8]) {
        swap(&self.bytes, &bytes)
    }

    /// The text of one value.
    package static func bytes(of value: JSON) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(value)
        return writer.bytes
    }

    /// The text of one value as a string.
    package static func text(of value: JSON) -> String {
        String(decoding: bytes(of: value), as: UTF8.self)
    }

    /// Adds text that is already JSON, or a part of it, as it is.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Adds bytes that are already JSON, or a part of it, as they are.
    package mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    /// Adds a part of a text that is already JSON as it is.
    package mutating func raw(_ text: ArraySlice<UInt8>) {
        bytes.append(contentsOf: text)
    }

    /// Adds the name of a member, which needs no escapes, behind a comma when it is not the first.
    mutating func name(_ name: StaticString, isFirst: Bool) {
        bytes.append(addingCapacity: name.utf8CodeUnitCount + 4) { output in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            name.withUTF8Buffer { name in
                for index in name.indices { output.append(unsafe name[index]) }
            }
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
    }

    /// Takes back what was added since there were `count` bytes.
    mutating func cut(at count: Int) {
        bytes.removeLast(bytes.count - count)
    }

    /// Adds an integer.
    package mutating func integer(_ value: some FixedWidthInteger) {
        // The last digit first, from the end; 64 bits have at most 20 digits.
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var start = digits.count
        var rest = UInt64(value.magnitude)
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        unsafe digits.span.extracting(start...).withUnsafeBufferPointer {
            unsafe bytes.append(contentsOf: $0)
        }
    }

    /// Adds a value; the members of objects keep their order.
    package mutating func write(_ value: JSON) {
        switch value {
        case .null: raw("null")
        case .bool(let truth): raw(truth ? "true" : "false")
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let text): string(text)
        case .array(let elements):
            var separator: UInt8 = UInt8(ascii: "[")
            for element in elements {
                bytes.append(separator)
                write(element)
                separator = UInt8(ascii: ",")
            }
            if elements.isEmpty { bytes.append(separator) }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    /// Adds an object.
    package mutating func write(_ object: JSONObject) {
        var separator: UInt8 = UInt8(ascii: "{")
        for member in object.members {
            bytes.append(separator)
            string(member.key)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
            separator = UInt8(ascii: ",")
        }
        if object.isEmpty { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a string in quotes; control characters, quotes and backslashes are escaped.
    package mutating func string(_ text: String) {
        unsafe text.withBytes { text in
            guard unsafe !Self.needsEscapes(text) else {
                bytes.append(UInt8(ascii: "\""))
                for index in text.indices { Self.add(escaped: unsafe text[index], to: &bytes) }
                bytes.append(UInt8(ascii: "\""))
                return
            }
            guard text.count <= Self.shortCount else {
                bytes.append(UInt8(ascii: "\""))
                unsafe bytes.append(contentsOf: text)
                bytes.append(UInt8(ascii: "\""))
                return
            }
            bytes.append(addingCapacity: text.count + 2) { output in
                output.append(UInt8(ascii: "\""))
                for index in text.indices { output.append(unsafe text[index]) }
                output.append(UInt8(ascii: "\""))
            }
        }
    }

    /// Bytes that are copied one by one sooner than as a whole.
    private static let shortCount = 24

    private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Without a branch, since mostly all bytes are looked at.
        var found: UInt8 = 0
        for index in text.indices {
            let byte = unsafe text[index]
            found |= byte < 0x20 ? 1 : 0
            found |= byte == UInt8(ascii: "\"") ? 1 : 0
            found |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return found > 0
    }

    /// Adds a byte of a string in its shortest spelling; tells whether that has a backslash.
    @discardableResult
    static func add(escaped byte: UInt8, to bytes: inout [UInt8]) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
        case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
        case 0..<0x20:
            bytes += "\\u00".utf8
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default:
            bytes.append(byte)
            return false
        }
        return true
    }
}

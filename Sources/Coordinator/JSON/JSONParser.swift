/// A strict parser for one JSON text (RFC 8259), safe for hostile bytes.
///
/// It checks the whole text: grammar, UTF-8 and depth. Doubled keys and lone surrogates are
/// recorded as defects, numbers keep their text; what they mean is decided by field.
package struct JSONParser {
    /// Levels of arrays and objects that are accepted (contract: protocol, Errors).
    package static let maximumDepth = 32

    private let maximumDepth: Int
    private var position = 0
    private var defects: [JSONDocument.Defect] = []

    /// Parses the whole of `bytes`; the outermost value is the first of `maximumDepth` levels.
    ///
    /// - Throws: ``JSONError`` naming the first fault and its offset.
    package static func parse(
        _ bytes: Span<UInt8>, maximumDepth: Int = maximumDepth
    ) throws(JSONError) -> JSONDocument {
        var parser = JSONParser(maximumDepth: maximumDepth)
        parser.skipBlanks(bytes)
        let root = try parser.value(bytes, depth: 1)
        parser.skipBlanks(bytes)
        guard parser.position == bytes.count else {
            throw parser.fault("nothing may follow the value")
        }
        return JSONDocument(root: root, defects: parser.defects)
    }

    /// Parses a text that is held as a string.
    ///
    /// - Throws: ``JSONError`` naming the first fault and its offset.
    package static func parse(
        text: String, maximumDepth: Int = maximumDepth
    ) throws(JSONError) -> JSONDocument {
        let bytes = Array(text.utf8)
        return try parse(bytes.span, maximumDepth: maximumDepth)
    }

    private init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    private func fault(_ message: String, _ kind: JSONError.Kind = .syntax) -> JSONError {
        JSONError(kind: kind, message: message, offset: position)
    }

    private func peek(_ bytes: Span<UInt8>) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSON {
        guard let first = peek(bytes) else {
            throw fault("the text ends where a value is expected")
        }
        switch first {
        case UInt8(ascii: "{"): return .object(try object(bytes, depth: depth))
        case UInt8(ascii: "["): return .array(try array(bytes, depth: depth))
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number(bytes))
        case UInt8(ascii: "t"): return try word(bytes, "true", .bool(true))
        case UInt8(ascii: "f"): return try word(bytes, "false", .bool(false))
        case UInt8(ascii: "n"): return try word(bytes, "null", .null)
        default: throw fault("a value is expected")
        }
    }

    private mutating func word(
        _ bytes: Span<UInt8>, _ word: StaticString, _ value: JSON
    ) throws(JSONError) -> JSON {
        guard position + word.utf8CodeUnitCount <= bytes.count else {
            throw fault("a value is expected")
        }
        let found = bytes.extracting(position..<(position + word.utf8CodeUnitCount))
        let matches = word.withUTF8Buffer { expected in
            expected.indices.allSatisfy { unsafe expected[$0] == found[$0] }
        }
        guard matches else { throw fault("a value is expected") }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSON] {
        guard depth <= maximumDepth else { throw fault("nested too deep", .depth) }
        position += 1
        skipBlanks(bytes)
        var elements: [JSON] = []
        if peek(bytes) == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            let known = defects.count
            elements.append(try value(bytes, depth: depth + 1))
            if defects.count > known {
                placeDefects(from: known, below: String(elements.count - 1))
            }
            skipBlanks(bytes)
            switch peek(bytes) {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw fault("',' or ']' is expected")
            }
        }
    }

    private mutating func object(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw fault("nested too deep", .depth) }
        position += 1
        skipBlanks(bytes)
        var members: [JSONObject.Member] = []
        var names = NameSet()
        if peek(bytes) == UInt8(ascii: "}") {
            position += 1
            return JSONObject(members)
        }
        members.reserveCapacity(JSONObject.usualCount)
        while true {
            guard peek(bytes) == UInt8(ascii: "\"") else { throw fault("a name is expected") }
            let known = defects.count
            let key = try string(bytes)
            skipBlanks(bytes)
            guard peek(bytes) == UInt8(ascii: ":") else { throw fault("':' is expected") }
            position += 1
            skipBlanks(bytes)
            let value = try value(bytes, depth: depth + 1)
            if defects.count > known { placeDefects(from: known, below: key) }
            if !names.insert(key, among: members) {
                record(JSONDocument.Defect(kind: .doubledKey, path: [key]))
            }
            members.append(JSONObject.Member(key: key, value: value))
            skipBlanks(bytes)
            switch peek(bytes) {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(members)
            default: throw fault("',' or '}' is expected")
            }
        }
    }

    private mutating func record(_ defect: JSONDocument.Defect) {
        if defects.count < JSONDocument.maximumDefects { defects.append(defect) }
    }

    /// Paths grow while the recursion unwinds, so a text without a defect pays nothing for them.
    private mutating func placeDefects(from first: Int, below part: String) {
        for index in first..<defects.count { defects[index].path.insert(part, at: 0) }
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        let start = position
        if peek(bytes) == UInt8(ascii: "-") { position += 1 }
        if peek(bytes) == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits(bytes)
        }
        if peek(bytes) == UInt8(ascii: ".") {
            position += 1
            try digits(bytes)
        }
        if let byte = peek(bytes), byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = peek(bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            try digits(bytes)
        }
        return JSONNumber(text: try text(bytes, start..<position))
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while let byte = peek(bytes), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        guard position > start else { throw fault("a digit is expected") }
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw JSONError(
                kind: .encoding, message: "not UTF-8",
                offset: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}

extension JSONParser {
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = peek(bytes) {
            switch byte {
            case UInt8(ascii: "\""):
                let result = try text(bytes, start..<position)
                position += 1
                return result
            case UInt8(ascii: "\\"): return try escapedString(bytes, from: start)
            case 0..<0x20: throw fault("a control character in a string must be escaped")
            default: position += 1
            }
        }
        throw fault("the text ends inside a string")
    }

    /// Continues at the first backslash; what came before is copied.
    private mutating func escapedString(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(JSONError) -> String {
        var output: [UInt8] = []
        for index in start..<position { output.append(bytes[index]) }
        while let byte = peek(bytes) {
            switch byte {
            case UInt8(ascii: "\""):
                let end = position
                position += 1
                do {
                    return String(copying: try UTF8Span(validating: output.span))
                } catch {
                    throw JSONError(kind: .encoding, message: "not UTF-8", offset: end)
                }
            case UInt8(ascii: "\\"): try escape(bytes, into: &output)
            case 0..<0x20: throw fault("a control character in a string must be escaped")
            default:
                output.append(byte)
                position += 1
            }
        }
        throw fault("the text ends inside a string")
    }

    private mutating func escape(
        _ bytes: Span<UInt8>, into output: inout [UInt8]
    ) throws(JSONError) {
        position += 1
        guard let byte = peek(bytes) else { throw fault("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar(bytes)
            output.append(contentsOf: String(Character(scalar)).utf8)
        default:
            position -= 1
            throw fault("an unknown escape in a string")
        }
    }

    /// The scalar of `\uXXXX` or of a surrogate pair; U+FFFD and a defect for half a pair.
    private mutating func escapedScalar(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let high = try hexadecimal(bytes)
        if let scalar = Unicode.Scalar(high) { return scalar }
        let afterHigh = position
        if high < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            position += 2
            let low = try hexadecimal(bytes)
            if (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
            {
                return scalar
            }
            position = afterHigh
        }
        record(JSONDocument.Defect(kind: .loneSurrogate, path: []))
        return "\u{FFFD}"
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(bytes), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else { throw fault("four hexadecimal digits are expected") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

/// The names of one object, for finding doubled keys without quadratic work on large objects.
private struct NameSet {
    private var hashed: Set<[UInt8]> = []

    /// Objects up to this size are searched member by member.
    private static let smallCount = 16

    /// Whether `key` is new among the names seen so far, which are those of `members`.
    mutating func insert(_ key: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.smallCount {
            return !members.contains { $0.key.hasSameBytes(as: key) }
        }
        if hashed.isEmpty {
            for member in members { hashed.insert(Array(member.key.utf8)) }
        }
        return hashed.insert(Array(key.utf8)).inserted
    }
}

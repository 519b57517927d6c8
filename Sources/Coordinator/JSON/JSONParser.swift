/// A strict parser for one JSON text (RFC 8259), safe for hostile bytes.
///
/// It checks the whole text: grammar, UTF-8 and depth. Doubled keys and lone surrogates are
/// recorded as defects, numbers keep their text; what they mean is decided by field.
package struct JSONParser {
    /// Levels of arrays and objects that are accepted (contract: protocol, Errors).
    package static let maximumDepth = 32

    /// Bytes of one text; an escape may take three times as many in the shortest spelling.
    private static let maximumBytes = 1 << 30

    private let maximumDepth: Int
    private var position = 0
    private var nodes: [JSONTape.Node] = []
    /// Nodes with half a surrogate pair, as often as they have one.
    private var surrogates: [Int] = []
    /// The text in the shortest spelling, as far as the input is copied.
    private var text: [UInt8] = []
    /// Bytes of the input that are copied or left out; what is as it should be is copied at once.
    private var copied = 0

    /// Parses the whole of `bytes`; the outermost value is the first of `maximumDepth` levels.
    ///
    /// - Throws: ``JSONError`` naming the first fault and its offset.
    package static func parse(
        _ bytes: Span<UInt8>, maximumDepth: Int = maximumDepth
    ) throws(JSONError) -> JSONDocument {
        var parser = JSONParser(maximumDepth: maximumDepth)
        guard bytes.count <= maximumBytes else { throw parser.fault("the text is too long") }
        parser.text.reserveCapacity(bytes.count)
        // A value and its name have about so many bytes; more room is made when it is needed.
        parser.nodes.reserveCapacity(min(bytes.count / 8, 64) + 4)
        parser.skipBlanks(bytes)
        try parser.value(bytes, depth: 1)
        parser.skipBlanks(bytes)
        guard parser.position == bytes.count else {
            throw parser.fault("nothing may follow the value")
        }
        parser.copy(bytes)
        return JSONDocument(
            JSONTape(text: parser.text, nodes: parser.nodes, surrogates: parser.surrogates), at: 0)
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

    /// Where the input's next byte is, or will be, in the text.
    private var place: UInt32 { UInt32(text.count + position - copied) }

    /// Copies the input up to the position.
    private mutating func copy(_ bytes: Span<UInt8>) {
        guard copied < position else { return }
        unsafe bytes.extracting(copied..<position).withUnsafeBufferPointer {
            unsafe text.append(contentsOf: $0)
        }
        copied = position
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        guard position < bytes.count, bytes[position] <= 0x20 else { return }
        copy(bytes)
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default:
                copied = position
                return
            }
        }
        copied = position
    }

    /// Adds an array or an object, whose text begins here.
    private mutating func open(_ kind: JSONDocument.Kind) -> Int {
        nodes.append(JSONTape.Node(kind: kind, start: place))
        return nodes.count - 1
    }

    /// Ends an array or an object, whose text ends here.
    private mutating func close(_ node: Int) {
        nodes[node].end = place
        nodes[node].next = UInt32(nodes.count)
    }

    /// Adds a value with nothing inside, whose text ends here.
    private mutating func add(
        _ kind: JSONDocument.Kind, from start: UInt32, isEscaped: Bool = false
    ) {
        nodes.append(
            JSONTape.Node(
                kind: kind, isEscaped: isEscaped, start: start, end: place,
                next: UInt32(nodes.count + 1)))
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        guard let first = peek(bytes) else {
            throw fault("the text ends where a value is expected")
        }
        switch first {
        case UInt8(ascii: "\""): try string(bytes)
        case UInt8(ascii: "{"): try object(bytes, depth: depth)
        case UInt8(ascii: "["): try array(bytes, depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(bytes)
        case UInt8(ascii: "t"): try word(bytes, "true", .true)
        case UInt8(ascii: "f"): try word(bytes, "false", .false)
        case UInt8(ascii: "n"): try word(bytes, "null", .null)
        default: throw fault("a value is expected")
        }
    }

    private mutating func word(
        _ bytes: Span<UInt8>, _ word: StaticString, _ kind: JSONDocument.Kind
    ) throws(JSONError) {
        guard position + word.utf8CodeUnitCount <= bytes.count else {
            throw fault("a value is expected")
        }
        let found = bytes.extracting(position..<(position + word.utf8CodeUnitCount))
        let matches = word.withUTF8Buffer { expected in
            expected.indices.allSatisfy { unsafe expected[$0] == found[$0] }
        }
        guard matches else { throw fault("a value is expected") }
        let start = place
        position += word.utf8CodeUnitCount
        add(kind, from: start)
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw fault("nested too deep", .depth) }
        let node = open(.array)
        position += 1
        skipBlanks(bytes)
        if peek(bytes) == UInt8(ascii: "]") {
            position += 1
            return close(node)
        }
        while true {
            try value(bytes, depth: depth + 1)
            skipBlanks(bytes)
            switch peek(bytes) {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "]"):
                position += 1
                return close(node)
            default: throw fault("',' or ']' is expected")
            }
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw fault("nested too deep", .depth) }
        let node = open(.object)
        position += 1
        skipBlanks(bytes)
        if peek(bytes) == UInt8(ascii: "}") {
            position += 1
            return close(node)
        }
        while true {
            guard peek(bytes) == UInt8(ascii: "\"") else { throw fault("a name is expected") }
            let name = nodes.count
            try string(bytes)
            skipBlanks(bytes)
            guard peek(bytes) == UInt8(ascii: ":") else { throw fault("':' is expected") }
            position += 1
            skipBlanks(bytes)
            try value(bytes, depth: depth + 1)
            nodes[name].next = UInt32(nodes.count)
            skipBlanks(bytes)
            switch peek(bytes) {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "}"):
                position += 1
                return close(node)
            default: throw fault("',' or '}' is expected")
            }
        }
    }
}

extension JSONParser {
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = place
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
        add(.number, from: start)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while let byte = peek(bytes), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        guard position > start else { throw fault("a digit is expected") }
    }

    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) {
        let place = place
        position += 1
        let start = position
        var (isASCII, hasEscapes, isEscaped) = (true, false, false)
        while true {
            position = Self.plainEnd(bytes, from: position)
            guard let byte = peek(bytes) else { throw fault("the text ends inside a string") }
            switch byte {
            case UInt8(ascii: "\""):
                if !isASCII { try checkUTF8(bytes, start..<position, hasEscapes) }
                position += 1
                return add(.string, from: place, isEscaped: isEscaped)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                if try escape(bytes) { isEscaped = true }
            case 0..<0x20: throw fault("a control character in a string must be escaped")
            default:
                if byte >= 0x80 { isASCII = false }
                position += 1
            }
        }
    }

    /// The first place from `start` on that may be no plain character of ASCII; eight bytes are
    /// looked at in one step.
    private static func plainEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let (each, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var position = start
        while position + 8 <= bytes.count {
            // Within the bytes; any eight of them are a number.
            let word = unsafe UInt64(
                littleEndian: bytes.bytes.unsafeLoadUnaligned(
                    fromByteOffset: position, as: UInt64.self))
            // A byte becomes zero, or is one too small, exactly where one of these borrows.
            let quote = (word ^ each &* UInt64(UInt8(ascii: "\""))) &- each
            let backslash = (word ^ each &* UInt64(UInt8(ascii: "\\"))) &- each
            let control = word &- each &* 0x20
            let found = (quote | backslash | control | word) & high
            if found != 0 { return position + found.trailingZeroBitCount / 8 }
            position += 8
        }
        return position
    }

    private func checkUTF8(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ hasEscapes: Bool
    ) throws(JSONError) {
        do {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw JSONError(
                kind: .encoding, message: "not UTF-8",
                offset: hasEscapes
                    ? range.upperBound : range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    /// Reads what a backslash stands for; tells whether the shortest spelling has one too.
    ///
    /// Where that differs from the input it goes into the text.
    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        copy(bytes)
        position += 1
        guard let byte = peek(bytes) else { throw fault("the text ends inside a string") }
        position += 1
        let scalar: Unicode.Scalar
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "u"): scalar = try escapedScalar(bytes)
        default:
            position -= 1
            throw fault("an unknown escape in a string")
        }
        copied = position
        if scalar.isASCII {
            return JSONWriter.add(escaped: UInt8(truncatingIfNeeded: scalar.value), to: &text)
        }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        return false
    }

    /// The scalar of `\uXXXX` or of a surrogate pair; U+FFFD and a defect for half a pair.
    private mutating func escapedScalar(
        _ bytes: Span<UInt8>
    ) throws(JSONError) -> Unicode.Scalar {
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
        // The node that comes next.
        if surrogates.count < JSONDocument.maximumDefects { surrogates.append(nodes.count) }
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

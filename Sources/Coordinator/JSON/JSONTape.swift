/// One JSON text, flat: its bytes in the shortest spelling, and where each value and name is in them.
///
/// All parts of a document share it. A text is read with three allocations however many values it
/// has, and a value that is passed on unchanged is a run of bytes.
final class JSONTape: Sendable {
    /// A value or a name; what is inside of it follows, a member's name before its value.
    struct Node {
        var kind: JSONDocument.Kind
        /// Whether the text of a string has backslashes.
        var isEscaped = false
        /// The place of its text, quotes included.
        var start: UInt32
        var end: UInt32 = 0
        /// The node behind all that is inside of it; behind its value, for a name.
        var next: UInt32 = 0

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// A defect at a node: the second name, or the string.
    struct Fault {
        var kind: JSONDocument.Defect.Kind
        var place: Int

        /// What comes first in the text comes first.
        fileprivate func moment(in nodes: [Node]) -> (UInt32, Int) {
            switch kind {
            case .loneSurrogate: (nodes[place].end, 0)
            case .doubledKey: (nodes[place + 1].end, 1)
            }
        }
    }

    /// The text without blanks, its strings escaped as ``JSONWriter`` does it.
    let text: [UInt8]
    let nodes: [Node]
    /// At most ``JSONDocument/maximumDefects`` defects, in the order of the text.
    let faults: [Fault]

    /// A text with these defects.
    init(text: [UInt8], nodes: [Node], faults: [Fault]) {
        self.text = text
        self.nodes = nodes
        self.faults = faults
    }

    /// A text whose doubled names are still to be found; `surrogates` are the nodes with half a
    /// pair.
    convenience init(text: [UInt8], nodes: [Node], surrogates: [Int]) {
        let doubled = Self.doubledNames(of: nodes, in: text)
        var faults: [Fault] = []
        if !surrogates.isEmpty || !doubled.isEmpty {
            faults += surrogates.map { Fault(kind: .loneSurrogate, place: $0) }
            faults += doubled.map { Fault(kind: .doubledKey, place: $0) }
            // A doubled name is known where its value ends; what is inside of that comes first.
            faults.sort { $0.moment(in: nodes) < $1.moment(in: nodes) }
            faults.removeLast(max(0, faults.count - JSONDocument.maximumDefects))
        }
        self.init(text: text, nodes: nodes, faults: faults)
    }

    func next(after place: Int) -> Int { Int(nodes[place].next) }

    /// Whether the string or name at `place` is `key`, by its bytes.
    func isString(_ key: String, at place: Int) -> Bool {
        unsafe key.withBytes { key in unsafe isString(key, at: place) }
    }

    private func isString(_ key: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        let node = nodes[place]
        if node.isEscaped {
            return unsafe string(at: place).withBytes { unsafe $0.elementsEqual(key) }
        }
        let start = Int(node.start) + 1
        guard Int(node.end) - 1 - start == key.count else { return false }
        return unsafe text.withUnsafeBufferPointer { text in
            for index in key.indices where unsafe key[index] != text[start + index] { return false }
            return true
        }
    }

    /// The value of the first member named `key` of the object at `place`; nil when there is none.
    func member(_ key: String, of place: Int) -> Int? {
        guard nodes[place].kind == .object else { return nil }
        return unsafe key.withBytes { key in
            let length = key.count + 2
            return unsafe nodes.withUnsafeBufferPointer { nodes in
                let end = unsafe Int(nodes[place].next)
                var name = place + 1
                while name < end {
                    let node = unsafe nodes[name]
                    // Names of another length are no closer look worth, but for escapes.
                    if node.range.count == length || node.isEscaped,
                        unsafe isString(key, at: name)
                    {
                        return name + 1
                    }
                    name = Int(node.next)
                }
                return nil
            }
        }
    }

    /// The value of the first member named `key` that is not `null`; nil when there is none.
    func present(_ key: String, of place: Int) -> Int? {
        guard let value = member(key, of: place), nodes[value].kind != .null else { return nil }
        return value
    }

    /// The digits at `place` as an unsigned 64-bit integer; nil for any other value, and with a sign,
    /// fraction, exponent or overflow.
    func unsigned(at place: Int) -> UInt64? {
        let node = nodes[place]
        guard node.kind == .number else { return nil }
        var number: UInt64 = 0
        for byte in text[node.range] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(byte & 15))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }

    /// The string or name at `place`.
    func string(at place: Int) -> String {
        let node = nodes[place]
        let content = (Int(node.start) + 1)..<(Int(node.end) - 1)
        guard !node.isEscaped else { return Self.unescaped(text[content]) }
        return string(content)
    }

    /// A part of the text as a string.
    private func string(_ range: Range<Int>) -> String {
        let text = text
        let bytes = text.span.extracting(range)
        // The parser has seen that it is UTF-8.
        return String(copying: unsafe UTF8Span(unchecked: bytes))
    }

    /// The text of a number as it was written.
    func number(at place: Int) -> JSONNumber { JSONNumber(text: string(nodes[place].range)) }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                // Only control characters are left in this spelling.
                let code = rest.prefix(4).reduce(0) { code, digit in
                    code << 4 | (digit & 15) + (digit > UInt8(ascii: "9") ? 9 : 0)
                }
                bytes.append(code)
                rest = rest.dropFirst(4)
            default: bytes.append(escape)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Numbers

extension JSONTape {
    /// Digits without an exponent that a double surely holds.
    private static let safeDigits = 300

    /// Whether no double can hold a number in the value at `place`.
    func hasNumberOutOfRange(in place: Int) -> Bool {
        (place..<next(after: place)).contains { place in
            let node = nodes[place]
            guard node.kind == .number else { return false }
            let isShort = node.range.count <= Self.safeDigits
            if isShort, !text[node.range].contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
                return false
            }
            return !number(at: place).isInRange
        }
    }
}

// MARK: - Trees

extension JSONTape {
    /// The value at `place` as a tree.
    func tree(at place: Int) -> JSON {
        let node = nodes[place]
        switch node.kind {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .number: return .number(number(at: place))
        case .string: return .string(string(at: place))
        case .array:
            var elements: [JSON] = []
            var element = place + 1
            while element < Int(node.next) {
                elements.append(tree(at: element))
                element = next(after: element)
            }
            return .array(elements)
        case .object:
            var members: [JSONObject.Member] = []
            var name = place + 1
            while name < Int(node.next) {
                members.append(.init(key: string(at: name), value: tree(at: name + 1)))
                name = next(after: name)
            }
            return .object(JSONObject(members))
        }
    }
}

// MARK: - Paths

extension JSONTape {
    /// Member names and array indices from one node down to another one inside of it.
    func path(from root: Int, to place: Int) -> [String] {
        var path: [String] = []
        var node = root
        while node != place {
            let isObject = nodes[node].kind == .object
            var (child, index) = (node + 1, 0)
            while next(after: child) <= place {
                child = next(after: child)
                index += 1
            }
            path.append(isObject ? string(at: child) : String(index))
            if child == place { break }
            node = isObject ? child + 1 : child
        }
        return path
    }

    /// The node at a path, of members of one name the last one's; for a doubled name its name.
    func place(at path: [String], of kind: JSONDocument.Defect.Kind) -> Int? {
        var place = 0
        for (level, part) in path.enumerated() {
            var found: Int?
            let isObject = nodes[place].kind == .object
            var (child, index) = (place + 1, 0)
            while child < next(after: place) {
                if isObject ? isString(part, at: child) : String(index) == part { found = child }
                child = next(after: child)
                index += 1
            }
            guard let found else { return nil }
            let isName = kind == .doubledKey && level == path.count - 1
            place = isObject && !isName ? found + 1 : found
        }
        return place
    }
}

// MARK: - Doubled names

extension JSONTape {
    /// Members of objects up to this size are compared one by one.
    private static let smallCount = 16

    /// The names that stand in their object before.
    private static func doubledNames(of nodes: [Node], in text: [UInt8]) -> [Int] {
        var doubled: [Int] = []
        for object in nodes.indices where nodes[object].kind == .object {
            let end = Int(nodes[object].next)
            var seen: Set<ArraySlice<UInt8>> = []
            var (name, count) = (object + 1, 0)
            while name < end {
                // The shortest spelling is the same for the same name.
                let isDoubled =
                    count < smallCount
                    ? stands(name, in: object, nodes, text)
                    : !seen.insert(text[nodes[name].range]).inserted
                if isDoubled { doubled.append(name) }
                name = Int(nodes[name].next)
                count += 1
                if count == smallCount, name < end {
                    // More than can be compared one by one without quadratic work.
                    var known = object + 1
                    while known < name {
                        seen.insert(text[nodes[known].range])
                        known = Int(nodes[known].next)
                    }
                }
            }
        }
        return doubled
    }

    private static func stands(
        _ name: Int, in object: Int, _ nodes: [Node], _ text: [UInt8]
    ) -> Bool {
        let range = nodes[name].range
        var other = object + 1
        while other < name {
            let start = Int(nodes[other].start)
            if Int(nodes[other].end) - start == range.count,
                (0..<range.count).allSatisfy({ text[start + $0] == text[range.lowerBound + $0] })
            {
                return true
            }
            other = Int(nodes[other].next)
        }
        return false
    }
}

/// The textual forms of IP addresses (RFC 4291, section 2.2; RFC 6943, section 3.1.1 strict form).
enum IPAddress {
    /// The four numbers of a dotted IPv4 address; nil for anything else, leading zeros included.
    static func version4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let numbers = parts.compactMap { part -> UInt8? in
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(isDigit),
                part.utf8.count == 1 || !part.hasPrefix("0")
            else { return nil }
            return UInt8(part)
        }
        return numbers.count == 4 ? numbers : nil
    }

    /// Whether `text` is an IPv6 address, without a zone.
    static func isVersion6(_ text: String) -> Bool {
        groups(text) != nil
    }

    /// Whether `text` is `::1`, in any spelling, or an IPv4 loopback address mapped into IPv6.
    static func isLoopbackVersion6(_ text: String) -> Bool {
        guard let groups = groups(text) else { return false }
        if groups == [0, 0, 0, 0, 0, 0, 0, 1] { return true }
        return groups[..<6] == [0, 0, 0, 0, 0, 0xFFFF] && groups[6] >> 8 == 127
    }

    /// The eight 16-bit groups of an IPv6 address.
    private static func groups(_ text: String) -> [UInt16]? {
        guard let gap = firstGap(in: text) else {
            return run(text[...]).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = run(text[..<gap.lowerBound], endsAddress: false),
            let tail = run(text[gap.upperBound...]), head.count + tail.count <= 7
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// The first `::`.
    private static func firstGap(in text: String) -> Range<String.Index>? {
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if next < text.endIndex, text[index] == ":", text[next] == ":" {
                return index..<text.index(after: next)
            }
            index = next
        }
        return nil
    }

    /// Groups with single colons between them; the last may be an IPv4 address.
    private static func run(_ text: Substring, endsAddress: Bool = true) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if endsAddress, index == parts.count - 1, let bytes = version4(part) {
                groups.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
                groups.append(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
                continue
            }
            guard (1...4).contains(part.utf8.count), !part.hasPrefix("+"), !part.hasPrefix("-"),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}

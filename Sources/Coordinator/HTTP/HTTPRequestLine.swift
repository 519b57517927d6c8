/// The first line of a request (RFC 9112, section 3).
struct HTTPRequestLine {
    private(set) var method = ""
    private(set) var path = ""
    private(set) var query: String?
    /// The host in a target of the absolute form; it takes the place of the Host field.
    private(set) var authority: String?
    private(set) var isVersion11 = false
    private(set) var isVersionSupported = false

    /// Reads a line without its end.
    init(_ line: Span<UInt8>) throws(HTTPFault) {
        let malformed = HTTPFault.malformed(
            "the first line must be a method, a target and a version, with one blank between")
        var position = 0
        let methodBytes = Self.word(in: line, &position, of: ASCII.isToken)
        guard !methodBytes.isEmpty, Self.skipBlank(in: line, &position) else { throw malformed }
        let target = Self.word(in: line, &position, of: ASCII.isTarget)
        guard !target.isEmpty, Self.skipBlank(in: line, &position) else { throw malformed }
        let version = Self.word(in: line, &position) { _ in true }
        guard version.count == 8, version.starts(with: Array("HTTP/".utf8)),
            ASCII.isDigit(version[5]), version[6] == UInt8(ascii: "."), ASCII.isDigit(version[7])
        else { throw malformed }
        method = String(decoding: methodBytes, as: UTF8.self)
        let number = (version[5] - UInt8(ascii: "0"), version[7] - UInt8(ascii: "0"))
        isVersion11 = number == (1, 1)
        isVersionSupported = number.0 == 1 && number.1 <= 1
        try read(target: target)
    }

    private static func word(
        in line: Span<UInt8>, _ position: inout Int, of isAllowed: (UInt8) -> Bool
    ) -> [UInt8] {
        var word: [UInt8] = []
        while position < line.count, isAllowed(line[position]) {
            word.append(line[position])
            position += 1
        }
        return word
    }

    private static func skipBlank(in line: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position < line.count, line[position] == ASCII.blank else { return false }
        position += 1
        return true
    }

    /// The origin form, the absolute form that proxies get, or the asterisk of OPTIONS.
    private mutating func read(target: [UInt8]) throws(HTTPFault) {
        var rest = target[...]
        let scheme = Array("http://".utf8)
        if rest.count > scheme.count, zip(rest, scheme).allSatisfy({ ASCII.lowercased($0) == $1 }) {
            rest = rest.dropFirst(scheme.count)
            let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard !host.isEmpty, host.allSatisfy(ASCII.isHost) else {
                throw .malformed("the target's host must be a host and perhaps a port")
            }
            authority = String(decoding: host, as: UTF8.self)
            rest = rest.dropFirst(host.count)
        } else if rest != [UInt8(ascii: "*")], rest.first != UInt8(ascii: "/") {
            throw .malformed("the target must begin with a slash")
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        if path.endIndex < rest.endIndex {
            query = String(decoding: rest[(path.endIndex + 1)...], as: UTF8.self)
        }
    }
}

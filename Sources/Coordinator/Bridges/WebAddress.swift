/// An http(s) address that somebody else's page or an app gave (RFC 3986, as far as it is needed).
package struct WebAddress: Sendable, Equatable {
    /// The address as it was given.
    package let text: String
    /// What stands between the host and the query or fragment; empty when nothing does.
    package let path: String

    /// Takes an address apart; nil when it is not http(s), has no host, or holds a blank or a control
    /// character.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        guard ["http", "https"].contains(String(decoding: scheme, as: UTF8.self).lowercased()),
            bytes.dropFirst(scheme.count).starts(with: "://".utf8),
            bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        let rest = bytes.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !Self.endsAuthority($0) }
        // Behind a user's name, and before a port.
        let host =
            authority.split(
                separator: UInt8(ascii: "@"), omittingEmptySubsequences: false
            ).last ?? []
        guard let first = host.first, first != UInt8(ascii: ":") else { return nil }
        self.text = text
        path = String(
            decoding: rest.dropFirst(authority.count).prefix {
                $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }, as: UTF8.self)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        // Web views take a backslash for a slash there.
        [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\")].contains(byte)
    }

    /// The address with a parameter more in its query; the value is percent-encoded.
    package func adding(_ name: String, _ value: String) -> WebAddress {
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.utf8.endIndex
        let front = text[..<mark]
        let separator =
            !front.utf8.contains(UInt8(ascii: "?"))
            ? "?"
            : front.utf8.last == UInt8(ascii: "?") || front.utf8.last == UInt8(ascii: "&")
                ? "" : "&"
        let added = "\(separator)\(name)=\(Self.percentEncoded(value))"
        return WebAddress(text: front + added + text[mark...], path: path)
    }

    private init(text: String, path: String) {
        self.text = text
        self.path = path
    }

    /// Everything but RFC 3986's unreserved characters as `%XX`.
    package static func percentEncoded(_ text: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                output.append(byte)
            default:
                output += [
                    UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)],
                ]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

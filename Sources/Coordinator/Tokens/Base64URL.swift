/// Base64 for addresses and tokens, without padding (RFC 4648, section 5).
package enum Base64URL {
    /// The bytes as text.
    package static func text(of bytes: [UInt8]) -> String {
        var letters = Array(Base64.text(of: bytes).utf8)
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        for index in letters.indices {
            switch letters[index] {
            case UInt8(ascii: "+"): letters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The bytes of a text that ``text(of:)`` could have made; nil for any other text.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var letters = Array(text.utf8)
        for index in letters.indices {
            switch letters[index] {
            case UInt8(ascii: "-"): letters[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): letters[index] = UInt8(ascii: "/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: break
            }
        }
        while !letters.count.isMultiple(of: 4) {
            letters.append(UInt8(ascii: "="))
        }
        return Base64.bytes(of: String(decoding: letters, as: UTF8.self))
    }
}

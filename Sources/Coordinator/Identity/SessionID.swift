/// The id of a viewing session: `[A-Za-z0-9._~-]{1,128}` (contract: domain, section 1).
package struct SessionID: Sendable, Hashable, CustomStringConvertible {
    /// The id as clients write it.
    package let description: String

    /// Longest id, in bytes.
    package static let maximumBytes = 128

    /// Checks and wraps an id; nil when it is empty, too long or has a character not allowed.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.maximumBytes).contains(text.utf8.count),
            text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        description = String(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

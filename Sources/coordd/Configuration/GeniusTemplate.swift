/// The page that plays Genius Sports content (contract: domain, section 5.1).
package enum GeniusTemplate {
    /// What the page's values are put in place of.
    package static let placeholder = "{{config}}"

    /// What is wrong with a template; nil when it has the one placeholder once and no other.
    package static func fault(in template: String) -> String? {
        let found = placeholders(in: template)
        if let other = found.first(where: { $0 != placeholder }) {
            return "found the placeholder \(other); allowed: \(placeholder) only"
        }
        switch found.count {
        case 1: return nil
        case 0: return "found no placeholder \(placeholder); allowed: exactly one"
        default: return "found \(found.count) placeholders \(placeholder); allowed: exactly one"
        }
    }

    /// Every `{{…}}`, in order.
    private static func placeholders(in template: String) -> [String] {
        let bytes = Array(template.utf8)
        let open = UInt8(ascii: "{")
        let close = UInt8(ascii: "}")
        var found: [String] = []
        var start = 0
        while start + 1 < bytes.count {
            guard bytes[start] == open, bytes[start + 1] == open else {
                start += 1
                continue
            }
            var end = start + 2
            while end + 1 < bytes.count, !(bytes[end] == close && bytes[end + 1] == close) {
                end += 1
            }
            guard end + 1 < bytes.count else { break }
            found.append(String(decoding: bytes[start...(end + 1)], as: UTF8.self))
            start = end + 2
        }
        return found
    }
}

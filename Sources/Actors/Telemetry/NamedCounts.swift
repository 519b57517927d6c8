/// Counts by names that somebody else makes up: the first ones each, all others together.
struct NamedCounts: Sendable, Equatable {
    /// Names that are counted apart (contract: domain, section 5.4, `onTrack`).
    static let limit = 50
    /// Bytes of a name; the rest is cut off.
    static let nameBytes = 64
    /// The name of the count of all others.
    static let other = "other"

    private var names: [String] = []
    private var counts: [UInt64] = []
    private var others: UInt64 = 0

    /// The names in the order they came, then the others.
    var all: [(name: String, count: UInt64)] {
        zip(names, counts).map { (name: $0, count: $1) } + [(name: Self.other, count: others)]
    }

    /// Counts one under its name.
    mutating func count(_ given: String) {
        let name = Self.label(given)
        if let index = names.firstIndex(of: name) {
            counts[index] &+= 1
        } else if names.count < Self.limit, name != Self.other, !name.isEmpty {
            names.append(name)
            counts.append(1)
        } else {
            others &+= 1
        }
    }

    /// The name as a label: Prometheus reads no page with a NUL in it, and nobody reads a control
    /// character.
    private static func label(_ name: String) -> String {
        var label = ""
        for scalar in name.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            let shown: Unicode.Scalar = isControl ? "\u{FFFD}" : scalar
            guard label.utf8.count + Unicode.UTF8.width(shown) <= nameBytes else { break }
            label.unicodeScalars.append(shown)
        }
        return label
    }
}

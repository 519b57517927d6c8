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

    /// Adds what was counted elsewhere; of its names, as many as still find a place.
    mutating func add(_ other: NamedCounts) {
        for (name, count) in zip(other.names, other.counts) { add(count, under: name) }
        others &+= other.others
    }

    /// Counts one under its name.
    mutating func count(_ given: String) {
        add(1, under: Self.label(given))
    }

    private mutating func add(_ count: UInt64, under name: String) {
        if let index = names.firstIndex(of: name) {
            counts[index] &+= count
        } else if names.count < Self.limit, name != Self.other, !name.isEmpty {
            names.append(name)
            counts.append(count)
        } else {
            others &+= count
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

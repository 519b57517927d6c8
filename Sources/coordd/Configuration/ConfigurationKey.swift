/// One key of the configuration: how it is named, what it means and what it accepts.
package struct ConfigurationKey: Sendable {
    /// The dotted path in the file, such as `limits.messageBytes`.
    package let name: String
    /// One line for the operator, without a full stop.
    package let meaning: String
    /// How values are read and shown.
    package let slot: ConfigurationSlot

    /// A key with its place in the configuration.
    init(_ name: String, _ meaning: String, _ slot: ConfigurationSlot) {
        self.name = name
        self.meaning = meaning
        self.slot = slot
    }

    /// The parts of the dotted path.
    package var path: [String] { name.split(separator: ".").map(String.init) }

    /// The path without its last part; empty for a key at the top.
    package var section: String { path.dropLast().joined(separator: ".") }

    /// The last part of the path.
    package var leaf: String { path.last ?? name }

    /// The environment variable that sets the key: `COORDD_LIMITS_MESSAGE_BYTES`.
    package var environmentName: String {
        path.reduce(into: "COORDD") { name, part in
            name += "_"
            let letters = Array(part)
            for (index, letter) in letters.enumerated() {
                // A word starts after a small letter and before one: open-URL-Patterns.
                let followsSmall = index > 0 && letters[index - 1].isLowercase
                let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
                if letter.isUppercase, followsSmall || precedesSmall { name += "_" }
                name += letter.uppercased()
            }
        }
    }
}

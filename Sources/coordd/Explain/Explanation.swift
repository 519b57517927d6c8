package import Coordinator

/// Why parts of a session's state changed with one revision, or what a signal was.
package struct Explanation: Sendable, Equatable {
    /// The rule's name, such as `rotation`.
    package var rule: String
    /// What it did, each thing in a few plain words.
    package var words: [String]
    /// The changed parts of the state (contract: domain, section 2); empty for what changed none.
    package var paths: [String]

    /// An explanation.
    package init(rule: String, words: [String], paths: [String]) {
        self.rule = rule
        self.words = words
        self.paths = paths
    }

    /// Such as `rotation: held landscape, sensor armed -> full screen`.
    package var text: String { "\(rule): \(words.joined(separator: ", "))" }

    /// The same for programs.
    package var json: JSON {
        [
            "rule": .string(rule), "words": .string(words.joined(separator: ", ")),
            "paths": .array(paths.map { .string($0) }),
        ]
    }
}

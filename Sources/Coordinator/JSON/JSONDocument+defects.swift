extension JSONDocument {
    /// Something that RFC 8259 lets pass and the contract refuses inside an event.
    package struct Defect: Sendable, Equatable {
        /// What kind of defect.
        package enum Kind: Sendable, Equatable, CustomStringConvertible {
            /// An object names a member twice; the path names the member.
            case doubledKey
            /// A `\u` escape of half a surrogate pair; the text holds U+FFFD in its place.
            case loneSurrogate

            /// The kind in the words of an error message.
            package var description: String {
                switch self {
                case .doubledKey: "the name stands twice in its object"
                case .loneSurrogate: "half a surrogate pair"
                }
            }
        }

        /// What kind of defect.
        package var kind: Kind
        /// Member names and array indices from the root to the place.
        package var path: [String]

        /// A defect at a place.
        package init(kind: Kind, path: [String]) {
            self.kind = kind
            self.path = path
        }

        /// The path as a message shows it, such as `selections[0].stake`; `label` stands for the
        /// root.
        package func location(from label: String) -> String {
            path.reduce(label) { text, part in
                part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && !part.isEmpty
                    ? "\(text)[\(part)]" : "\(text).\(part)"
            }
        }

        /// Whether it is inside the value at `prefix`.
        ///
        /// A doubled key that *is* the prefix is outside: it is not known which value counts.
        fileprivate func isInside(_ prefix: [String]) -> Bool {
            path.starts(with: prefix)
                && (path.count > prefix.count
                    || (path.count == prefix.count && kind == .loneSurrogate))
        }
    }

    /// Whether the text that the value is part of has any defect.
    var hasDefects: Bool { !tape.faults.isEmpty }

    /// At most ``maximumDefects`` defects inside the value, in the order of the text.
    package var defects: [Defect] {
        guard hasDefects else { return [] }
        let inside = place..<tape.next(after: place)
        return tape.faults.filter { inside.contains($0.place) }.map {
            Defect(kind: $0.kind, path: tape.path(from: place, to: $0.place))
        }
    }

    /// The defects that are not inside the value at `path`.
    package func defects(outside path: [String]) -> [Defect] {
        hasDefects ? defects.filter { !$0.isInside(path) } : []
    }
}

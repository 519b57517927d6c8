/// A parsed JSON text and what is wrong with it although its grammar is right.
package struct JSONDocument: Sendable, Equatable {
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
    }

    /// The value.
    package var root: JSON
    /// At most ``maximumDefects`` defects, in the order of the text.
    package var defects: [Defect]

    /// Defects that are remembered for one text; one is enough to refuse it.
    package static let maximumDefects = 8

    /// Pairs a value with its defects.
    package init(root: JSON, defects: [Defect] = []) {
        self.root = root
        self.defects = defects
    }

    /// The value at `path` and the defects inside it, their paths relative to it; nil when absent.
    package func subdocument(_ path: String...) -> JSONDocument? {
        var value = root
        for key in path {
            guard let next = value[key] else { return nil }
            value = next
        }
        guard !defects.isEmpty else { return JSONDocument(root: value) }
        return JSONDocument(root: value, defects: defects.compactMap { $0.relative(to: path) })
    }

    /// The defects that are not inside the value at `path`.
    package func defects(outside path: [String]) -> [Defect] {
        defects.isEmpty ? defects : defects.filter { $0.relative(to: path) == nil }
    }
}

extension JSONDocument.Defect {
    /// The same defect with a path that starts at `prefix`; nil when it is elsewhere.
    ///
    /// A doubled key that *is* the prefix belongs to the outside: it is not known which value counts.
    fileprivate func relative(to prefix: [String]) -> JSONDocument.Defect? {
        guard path.count > prefix.count || (path.count == prefix.count && kind == .loneSurrogate),
            path.starts(with: prefix)
        else { return nil }
        return JSONDocument.Defect(kind: kind, path: Array(path.dropFirst(prefix.count)))
    }

    /// The path as a message shows it, such as `selections[0].stake`; `label` stands for the root.
    package func location(from label: String) -> String {
        path.reduce(label) { text, part in
            part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && !part.isEmpty
                ? "\(text)[\(part)]" : "\(text).\(part)"
        }
    }
}

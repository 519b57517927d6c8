/// A parsed JSON value, whole or as a part, and what is wrong with it although its grammar is right.
///
/// A view of its text: parts are found without copying anything, and ``root`` makes a tree of it.
package struct JSONDocument: Sendable {
    /// What kind of value it is.
    package enum Kind: Sendable {
        case null, `false`, `true`, number, string, array, object
    }

    let tape: JSONTape
    let place: Int

    /// Defects that are remembered for one text; one is enough to refuse it.
    package static let maximumDefects = 8

    init(_ tape: JSONTape, at place: Int) {
        self.tape = tape
        self.place = place
    }

    /// The document that says the same as a tree, with defects that are found by their paths.
    package init(root: JSON, defects: [Defect] = []) {
        guard
            let written = try? JSONParser.parse(text: JSONWriter.text(of: root), maximumDepth: .max)
        else { preconditionFailure("a tree is no JSON") }
        let tape = written.tape
        let faults = defects.compactMap { defect in
            tape.place(at: defect.path, of: defect.kind).map {
                JSONTape.Fault(kind: defect.kind, place: $0)
            }
        }
        self.init(JSONTape(text: tape.text, nodes: tape.nodes, faults: faults), at: 0)
    }

    private var node: JSONTape.Node { tape.nodes[place] }

    /// What kind of value it is.
    package var kind: Kind { node.kind }

    /// What kind of value it is, as an error message names it.
    package var kindName: String {
        switch kind {
        case .null: "null"
        case .false, .true: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value as a tree.
    package var root: JSON { tape.tree(at: place) }

    /// Bytes of its text without blanks.
    package var byteCount: Int { node.range.count }

    /// Its text without blanks, as ``JSONWriter`` writes it.
    package var bytes: ArraySlice<UInt8> { tape.text[node.range] }

    /// Whether this is the value `null`.
    package var isNull: Bool { kind == .null }

    /// The text of a string; nil for any other kind of value.
    package var string: String? { kind == .string ? tape.string(at: place) : nil }

    /// The truth of a boolean; nil for any other kind of value.
    package var bool: Bool? { kind == .true ? true : kind == .false ? false : nil }

    /// The number; nil for any other kind of value.
    package var number: JSONNumber? {
        kind == .number ? tape.number(at: place) : nil
    }

    /// The number as an unsigned 64-bit integer; nil for any other kind of value, and with a sign,
    /// fraction, exponent or overflow.
    package var unsigned: UInt64? { tape.unsigned(at: place) }

    /// The first member named `key` of an object; nil when absent or not an object.
    package subscript(_ key: String) -> JSONDocument? {
        tape.member(key, of: place).map { JSONDocument(tape, at: $0) }
    }

    /// The members of an object, in order; empty for any other kind of value.
    package var members: Members { Members(tape, of: place, kind == .object ? 2 : nil) }

    /// The elements of an array; empty for any other kind of value.
    package var elements: Members { Members(tape, of: place, kind == .array ? 1 : nil) }
}

// MARK: - What is inside

extension JSONDocument {
    /// The values that an array or an object has in it, those of an object with their names.
    package struct Members: Sequence, IteratorProtocol {
        private let tape: JSONTape
        private var place: Int
        private let end: Int
        /// Nodes of a member: its value, and before that its name, if it has one.
        private let width: Int

        /// With `width` nil there is nothing inside.
        fileprivate init(_ tape: JSONTape, of place: Int, _ width: Int?) {
            self.tape = tape
            self.place = place + 1
            end = width == nil ? place + 1 : tape.next(after: place)
            self.width = width ?? 1
        }

        /// The next one.
        package mutating func next() -> Member? {
            guard place < end else { return nil }
            let value = place + width - 1
            place = tape.next(after: place)
            return Member(value: JSONDocument(tape, at: value))
        }
    }

    /// A value in an array or an object.
    package struct Member {
        /// The value.
        package let value: JSONDocument

        /// The name, which a member of an object has.
        package var key: String { value.tape.string(at: value.place - 1) }

        /// Whether its name is this one.
        package func isNamed(_ key: String) -> Bool {
            value.tape.isString(key, at: value.place - 1)
        }
    }
}

extension JSONDocument {
    /// The value at `path`; nil when absent.
    package func subdocument(_ path: String...) -> JSONDocument? {
        path.reduce(self) { document, key in document?[key] }
    }
}

extension JSONDocument: Equatable {
    /// Equal in value, in any order of members, and in what is wrong.
    package static func == (left: JSONDocument, right: JSONDocument) -> Bool {
        left.root == right.root && left.defects == right.defects
    }
}

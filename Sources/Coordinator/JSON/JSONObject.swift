/// The members of a JSON object in the order they were written.
///
/// An ordered list instead of a dictionary: objects here have a few members, order is kept for
/// publications, and a doubled key stays visible until somebody decides what it means.
package struct JSONObject: Sendable {
    /// One name and its value.
    package struct Member: Sendable, Equatable {
        /// The member's name.
        package var key: String
        /// The member's value.
        package var value: JSON

        /// Pairs a name with its value.
        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }

        /// Equal when the names have the same bytes and the values are equal.
        package static func == (left: Member, right: Member) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value == right.value
        }
    }

    /// Room that an object gets for its first members.
    static let usualCount = 4

    /// All members, in order.
    package private(set) var members: [Member]

    /// Takes members as they are, doubled keys included.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Whether there is no member.
    package var isEmpty: Bool { members.isEmpty }

    /// The number of members.
    package var count: Int { members.count }

    /// The value of the first member named `key`; setting nil removes it.
    package subscript(_ key: String) -> JSON? {
        get {
            for member in members where member.key.hasSameBytes(as: key) {
                return member.value
            }
            return nil
        }
        set {
            let index = members.firstIndex { $0.key.hasSameBytes(as: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value of the first member named `key`, which is likely the one at `index`.
    ///
    /// No member may stand twice.
    func value(of key: String, near index: Int) -> JSON? {
        if index < members.count, members[index].key.hasSameBytes(as: key) {
            return members[index].value
        }
        return self[key]
    }

    /// Adds a member at the end without looking for one of the same name.
    package mutating func append(_ key: String, _ value: JSON) {
        // Most objects that are made here have some members.
        if members.isEmpty { members.reserveCapacity(Self.usualCount) }
        members.append(Member(key: key, value: value))
    }

    /// Adds a member at the end when there is a value.
    package mutating func append(_ key: String, ifPresent value: JSON?) {
        if let value { append(key, value) }
    }
}

extension JSONObject: Equatable {
    /// Objects are equal when they have the same members in any order.
    ///
    /// Names are compared before values, so that each value is compared once: otherwise the work
    /// doubles with every level of two objects that differ in the order of members.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if Self.haveSameNames(left.members, right.members) {
            return Self.haveSameValues(left.members, right.members)
        }
        let (left, right) = (left.sorted, right.sorted)
        return Self.haveSameNames(left, right) && Self.haveSameValues(left, right)
    }

    private var sorted: [Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func haveSameNames(_ left: [Member], _ right: [Member]) -> Bool {
        zip(left, right).allSatisfy { $0.key.hasSameBytes(as: $1.key) }
    }

    private static func haveSameValues(_ left: [Member], _ right: [Member]) -> Bool {
        zip(left, right).allSatisfy { $0.value == $1.value }
    }
}

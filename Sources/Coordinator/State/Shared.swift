/// A value in a place of its own, which copies share until one of them is changed.
///
/// For large values that are copied with every event and rarely change: a copy is one reference,
/// and two copies that still share their place are known to be equal without a look at them.
package struct Shared<Value> {
    /// An array of one: it is Swift's own storage that is copied when it is changed.
    private var place: [Value]

    /// Gives the value its place.
    package init(_ value: Value) {
        place = [value]
    }

    /// The value, for reading and changing where it is.
    package var value: Value {
        _read { yield place[0] }
        _modify { yield &place[0] }
    }
}

extension Shared: Sendable where Value: Sendable {}

extension Shared {
    /// Whether both are one place; then they are equal without a look at the value.
    func isSame(as other: Shared) -> Bool { place.span.isIdentical(to: other.place.span) }
}

extension Shared: Equatable where Value: Equatable {
    /// Equal when the values are.
    package static func == (left: Shared, right: Shared) -> Bool {
        left.isSame(as: right) || left.value == right.value
    }
}

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

// Arrays look first whether they are the same storage.
extension Shared: Equatable where Value: Equatable {}

internal import Coordinator

/// What was revoked since the start, as far as a connection between two loops may have missed it.
struct RevocationNews {
    /// How many there were.
    private(set) var count = 0
    private var newest: [RevokedSubject] = []

    /// What is kept: more than can come while a connection is on its way.
    private static let limit = 256

    mutating func add(_ subject: RevokedSubject) {
        count += 1
        if newest.count == Self.limit { newest.removeFirst(Self.limit / 2) }
        newest.append(subject)
    }

    /// Those after the first `known` ones.
    func after(_ known: Int) -> ArraySlice<RevokedSubject> {
        newest.suffix(max(0, count - known))
    }
}

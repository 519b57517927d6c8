extension Dictionary {
    /// Entries for which a dictionary's memory is not worth a thought.
    private static var smallCapacity: Int { 1024 }

    /// Moves what is there to a smaller place when it was made for eight times as much; gives whether
    /// it was.
    ///
    /// A dictionary that loses its entries keeps the memory that it had at its fullest.
    @discardableResult
    package mutating func shrinkIfSparse() -> Bool {
        guard capacity > Self.smallCapacity, count < capacity / 8 else { return false }
        var smaller = Dictionary(minimumCapacity: 2 * count)
        for (key, value) in self { smaller[key] = value }
        self = smaller
        return true
    }
}

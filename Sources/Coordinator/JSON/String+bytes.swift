extension String {
    /// Lends the text's UTF-8, which is cheaper than a view of it for a short text.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8 { unsafe body($0) }
    }

    /// Whether both texts are the same bytes of UTF-8.
    ///
    /// Swift's `==` also holds for texts that only look alike (canonical equivalence); names on the
    /// wire are told apart by their bytes.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return unsafe withBytes { left in
            unsafe other.withBytes { right in unsafe left.elementsEqual(right) }
        }
    }
}

/// The decoded parameters of a query, in the order they came.
package struct HTTPParameters: Sendable, Equatable {
    private var pairs: [(name: String, value: String)] = []

    /// Decodes what stands behind `?`; nil when a part of it is not UTF-8 or badly encoded.
    package init?(_ query: String) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsBlank: true),
                let value = PercentEncoding.decode(
                    parts.count > 1 ? parts[1] : "", plusIsBlank: true)
            else { return nil }
            pairs.append((name, value))
        }
    }

    /// The value of the first parameter of this name; nil when there is none.
    package subscript(name: String) -> String? {
        pairs.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// A whole number within a range.
    ///
    /// - Throws: 107 when the value is something else.
    package func integer<Value: FixedWidthInteger>(
        _ name: String, _ range: ClosedRange<Value>
    ) throws(ReplyError) -> Value? {
        guard let text = self[name] else { return nil }
        // Digits alone: `Int` would take a plus sign too.
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit), let number = Value(text),
            range.contains(number)
        else {
            throw .badRequest(
                "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package static func == (left: HTTPParameters, right: HTTPParameters) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0 == $1 }
    }
}

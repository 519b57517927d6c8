/// A value that can be read from its stored form.
protocol Storable {
    /// Reads exactly what was stored: nothing is guessed, cut or filled in.
    init(stored json: JSON) throws(StorageFault)
}

extension StorageFault {
    /// Another kind of value than the one that belongs here.
    static func expected(_ what: String, not json: JSON) -> StorageFault {
        StorageFault("\(what) is expected, not \(json.kindName)")
    }
}

extension Bool: Storable {
    init(stored json: JSON) throws(StorageFault) {
        guard let truth = json.bool else { throw .expected("a boolean", not: json) }
        self = truth
    }
}

extension String: Storable {
    init(stored json: JSON) throws(StorageFault) {
        guard let text = json.string else { throw .expected("a string", not: json) }
        self = text
    }
}

extension UInt64: Storable {
    /// The highest counter that is read: a store counts to the end of a signed number, and what was
    /// read must still count on for longer than anything runs.
    private static var maximum: UInt64 { UInt64(Int64.max) - (1 << 32) }

    /// A counter, far enough from its end that counting on never overflows.
    init(stored json: JSON) throws(StorageFault) {
        guard let number = json.number else { throw .expected("a counter", not: json) }
        guard let value = number.unsigned, value <= Self.maximum else {
            throw StorageFault("a counter is expected, not another number")
        }
        self = value
    }
}

extension Int: Storable {
    /// A number of things, far from both ends.
    init(stored json: JSON) throws(StorageFault) {
        guard let value = json.number?.signed, (0...Int64(Int32.max)).contains(value) else {
            throw .expected("a small counter", not: json)
        }
        self = Int(value)
    }
}

extension Double: Storable {
    init(stored json: JSON) throws(StorageFault) {
        guard let number = json.number else { throw .expected("a number", not: json) }
        guard let value = number.double else { throw StorageFault("the number is out of range") }
        self = value
    }
}

extension Instant: Storable {
    /// Milliseconds as an integer.
    init(stored json: JSON) throws(StorageFault) {
        guard let number = json.number else { throw .expected("an instant", not: json) }
        guard let milliseconds = number.signed else {
            throw StorageFault("an instant is expected, not another number")
        }
        self.init(milliseconds: milliseconds)
    }
}

extension Amount: Storable {
    /// Digits as they came.
    init(stored json: JSON) throws(StorageFault) {
        guard let text = json.string else { throw .expected("an amount", not: json) }
        guard let amount = Amount(text: text) else {
            throw StorageFault("an amount is expected, not another text")
        }
        self = amount
    }
}

extension Array: Storable where Element: Storable {
    init(stored json: JSON) throws(StorageFault) {
        guard let elements = json.array else { throw .expected("an array", not: json) }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(StorageFault) {
                append(try Element(stored: element))
            } catch {
                throw error.within(String(index))
            }
        }
    }
}

extension Storable where Self: RawRepresentable, RawValue == String {
    /// One of the words that the type has.
    init(stored json: JSON) throws(StorageFault) {
        guard let text = json.string else { throw .expected("a word", not: json) }
        guard let value = Self(rawValue: text) else { throw StorageFault("the word is unknown") }
        self = value
    }
}

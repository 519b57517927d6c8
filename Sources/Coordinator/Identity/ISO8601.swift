extension Instant {
    /// The last millisecond of the year 9999, the last that four digits can name.
    package static let lastOfCalendar = Instant(milliseconds: 253_402_300_799_999)

    /// Reads a date and time of ISO 8601 in the extended format; nil for any other text.
    ///
    /// `YYYY-MM-DDThh:mm`, then seconds with or without a fraction (the first three digits count), then
    /// `Z` or an offset of at most 18 hours; without a zone it is UTC. The calendar is the Gregorian one,
    /// from 1970 to ``lastOfCalendar``. A second 60 is refused: no length of time has leap seconds here.
    package init?(iso8601 text: String) {
        var rest = ISO8601Text(bytes: Array(text.utf8)[...])
        guard let year = rest.number(digits: 4, in: 1970...9999), rest.skip("-"),
            let month = rest.number(digits: 2, in: 1...12), rest.skip("-"),
            let day = rest.number(digits: 2, in: 1...Self.days(of: month, in: year)),
            rest.skip("T"), let hour = rest.number(digits: 2, in: 0...23), rest.skip(":"),
            let minute = rest.number(digits: 2, in: 0...59)
        else { return nil }
        var milliseconds = 0
        if rest.skip(":") {
            guard let second = rest.number(digits: 2, in: 0...59) else { return nil }
            milliseconds = second * 1000
            if rest.skip(".") || rest.skip(",") {
                guard let fraction = rest.fraction() else { return nil }
                milliseconds += fraction
            }
        }
        guard let offset = rest.offset(), rest.bytes.isEmpty else { return nil }
        let days = Self.days(before: year, month) + day - 1
        milliseconds += ((days * 24 + hour) * 60 + minute - offset) * 60_000
        self.init(milliseconds: Int64(milliseconds))
        guard (Instant(milliseconds: 0)...Self.lastOfCalendar).contains(self) else { return nil }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to the first of the month.
    private static func days(before year: Int, _ month: Int) -> Int {
        func leapDays(before year: Int) -> Int {
            let last = year - 1
            return last / 4 - last / 100 + last / 400
        }
        let years = (year - 1970) * 365 + leapDays(before: year) - leapDays(before: 1970)
        return (1..<month).reduce(years) { $0 + days(of: $1, in: year) }
    }
}

/// What is still to be read of a date and time.
private struct ISO8601Text {
    var bytes: ArraySlice<UInt8>

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: mark) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func digit() -> Int? {
        guard let byte = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            return nil
        }
        bytes.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int, in range: ClosedRange<Int>) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return range.contains(number) ? number : nil
    }

    /// At least one digit, in milliseconds; what is smaller is cut off.
    mutating func fraction() -> Int? {
        var milliseconds = 0
        var weight = 100
        guard bytes.first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
        while let digit = digit() {
            milliseconds += digit * weight
            weight /= 10
        }
        return milliseconds
    }

    /// Minutes east of Greenwich, from `Z`, `±hh:mm`, `±hhmm`, `±hh` or nothing.
    mutating func offset() -> Int? {
        if bytes.isEmpty || skip("Z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(digits: 2, in: 0...18) else { return nil }
        var minutes = 0
        if skip(":") || !bytes.isEmpty {
            guard let more = number(digits: 2, in: 0...59) else { return nil }
            minutes = more
        }
        let offset = hours * 60 + minutes
        guard offset <= 18 * 60 else { return nil }
        return isWest ? -offset : offset
    }
}

/// A page in the text format 0.0.4 of Prometheus, read as strictly as the format is described.
struct PrometheusText {
    /// What is not as it must be.
    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    /// The families' types, by name.
    private(set) var types: [String: String] = [:]
    /// The values, by series as it is written.
    private(set) var values: [String: Double] = [:]
    /// The series in their order.
    private(set) var series: [String] = []

    private var current = ""
    private var helped: Set<String> = []

    /// - Throws: ``Malformed`` naming the line.
    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "no line end at the end") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            do {
                try take(String(line))
            } catch {
                throw Malformed(description: "\(error): \(line)")
            }
        }
        for (name, type) in types where type == "histogram" { try checkHistogram(name) }
    }

    private mutating func take(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        if words.count == 4, words[0] == "#", words[1] == "HELP" {
            current = String(words[2])
            guard Self.isName(current), current.hasPrefix("coordd_"), !words[3].isEmpty,
                helped.insert(current).inserted
            else { throw Malformed(description: "a bad or second HELP") }
        } else if words.count == 4, words[0] == "#", words[1] == "TYPE" {
            guard words[2] == current, types[current] == nil,
                ["counter", "gauge", "histogram"].contains(words[3])
            else { throw Malformed(description: "a bad or second TYPE, or not behind its HELP") }
            types[current] = String(words[3])
        } else {
            try takeSample(line)
        }
    }

    private mutating func takeSample(_ line: String) throws {
        guard let blank = line.lastIndex(of: " "),
            let value = Self.number(line[line.index(after: blank)...])
        else { throw Malformed(description: "no value") }
        let id = String(line[..<blank])
        let name = String(id.prefix { $0 != "{" })
        guard Self.isName(name), let type = types[current] else {
            throw Malformed(description: "a bad name, or no TYPE")
        }
        let suffix = name.hasPrefix(current) ? String(name.dropFirst(current.count)) : "?"
        let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(suffix) else {
            throw Malformed(description: "a sample outside of its family")
        }
        guard type != "counter" || (current.hasSuffix("_total") && value >= 0) else {
            throw Malformed(description: "a counter that is none")
        }
        try Self.checkLabels(id.dropFirst(name.count))
        guard values.updateValue(value, forKey: id) == nil else {
            throw Malformed(description: "a series twice")
        }
        series.append(id)
    }

    private func checkHistogram(_ name: String) throws {
        let buckets = series.filter { $0.hasPrefix(name + "_bucket{") }
        let counts = buckets.map { values[$0] ?? -1 }
        guard counts == counts.sorted(), buckets.last == name + "_bucket{le=\"+Inf\"}",
            counts.last == values[name + "_count"], values[name + "_sum"] != nil
        else { throw Malformed(description: "\(name): the buckets do not add up") }
        let bounds = buckets.map { $0.split(separator: "\"")[1] }.compactMap(Self.number)
        guard bounds.count == buckets.count, bounds == bounds.sorted(),
            Set(bounds).count == bounds.count
        else { throw Malformed(description: "\(name): the bounds do not rise") }
    }

    private static func checkLabels(_ text: Substring) throws {
        guard !text.isEmpty else { return }
        let bad = Malformed(description: "bad labels")
        guard text.hasPrefix("{"), text.hasSuffix("}") else { throw bad }
        var rest = text.dropFirst().dropLast()
        var names: Set<Substring> = []
        while true {
            let name = rest.prefix { $0 != "=" }
            guard isName(String(name)), !name.contains(":"), names.insert(name).inserted else {
                throw bad
            }
            rest = rest.dropFirst(name.count)
            guard rest.hasPrefix("=\"") else { throw bad }
            rest = rest.dropFirst(2)
            while let character = rest.first, character != "\"" {
                rest = rest.dropFirst()
                guard character == "\\" else { continue }
                guard let escaped = rest.popFirst(), "\\n\"".contains(escaped) else { throw bad }
            }
            guard rest.popFirst() == "\"" else { throw bad }
            if rest.isEmpty { return }
            guard rest.popFirst() == "," else { throw bad }
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ":": true
            default: false
            }
        }
    }

    private static func number(_ text: Substring) -> Double? {
        if text == "+Inf" { return .infinity }
        guard text.allSatisfy({ "0123456789.-".contains($0) }) else { return nil }
        return Double(text)
    }
}

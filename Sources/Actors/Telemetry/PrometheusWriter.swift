/// Writes the text format 0.0.4 of Prometheus.
///
/// A family is opened with its name, type and help; its samples follow.
struct PrometheusWriter {
    /// What a family's samples are.
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// The format's media type.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var bytes: [UInt8] = []
    private var name = ""

    init() {
        bytes.reserveCapacity(65_536)
    }

    /// Opens a family; `help` is one line.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = "coordd_" + name
        text("# HELP \(self.name) \(Self.escaped(help, quotes: false))\n")
        text("# TYPE \(self.name) \(kind.rawValue)\n")
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger)
    {
        family(name, kind, help)
        sample([], value)
    }

    /// Adds an integer.
    mutating func sample(_ labels: [(String, String)], _ value: some BinaryInteger) {
        sample(labels, "\(value)")
    }

    /// Adds a number that is already text.
    mutating func sample(_ labels: [(String, String)], _ value: String) {
        line("", labels, value)
    }

    /// A family of one histogram without labels, in seconds.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        family(name, .histogram, help)
        var count: UInt64 = 0
        for (index, part) in histogram.counts.enumerated() {
            count += part
            let bound =
                index < Histogram.bounds.count
                ? Self.seconds(nanoseconds: Histogram.bounds[index]) : "+Inf"
            line("_bucket", [("le", bound)], "\(count)")
        }
        line("_sum", [], Self.seconds(nanoseconds: histogram.sum))
        line("_count", [], "\(count)")
    }

    /// Nanoseconds as seconds, exactly: 2500000 is `0.0025`.
    static func seconds(nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest > 0 else { return "\(whole)" }
        let digits = String(rest)
        var decimals = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }

    private mutating func line(_ suffix: String, _ labels: [(String, String)], _ value: String) {
        text(name)
        text(suffix)
        var separator = "{"
        for (label, labelled) in labels {
            text("\(separator)\(label)=\"\(Self.escaped(labelled, quotes: true))\"")
            separator = ","
        }
        if !labels.isEmpty { text("}") }
        text(" \(value)\n")
    }

    private mutating func text(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

import Actors
import Coordinator

/// The arguments of one command, told apart but not yet understood.
struct ParsedArguments: Sendable {
    /// What the command accepts.
    let usage: CommandUsage
    /// As many as the command has positional arguments, or more when the last may repeat.
    private(set) var positionals: [String] = []
    /// Whether `--help` was among the arguments; the rest is not checked then.
    private(set) var wantsHelp = false
    private var values: [String: String] = [:]
    private var switches: Set<String> = []

    /// Tells arguments apart: `--name VALUE`, `--name=VALUE`, `--name`; after `--` only positionals.
    init(_ arguments: ArraySlice<String>, of usage: CommandUsage) throws(UsageError) {
        self.usage = usage
        if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" })
        {
            wantsHelp = true
            return
        }
        var rest = arguments
        var onlyPositionals = false
        while let argument = rest.popFirst() {
            if onlyPositionals || argument == "-" || !argument.hasPrefix("-") {
                positionals.append(argument)
            } else if argument == "--" {
                onlyPositionals = true
            } else {
                try takeFlag(argument, &rest)
            }
        }
        let names = usage.positionals.map(\.name)
        guard positionals.count >= usage.positionals.count(where: { !$0.isOptional }) else {
            throw error("\(names[positionals.count]) is missing")
        }
        let repeats = usage.positionals.last?.repeats ?? false
        guard positionals.count <= names.count || repeats else {
            throw error("unexpected argument \(Self.quoted(positionals[names.count]))")
        }
    }

    private mutating func takeFlag(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let flag = usage.flags.first(where: { $0.name == name }) else {
            let known = usage.flags.map(\.name).joined(separator: ", ")
            if let reason = usage.refused[name] { throw error("\(name): \(reason)") }
            throw error("unknown flag \(Self.quoted(name)); allowed: \(known)")
        }
        guard values[name] == nil, !switches.contains(name) else {
            throw error("\(name) is given twice")
        }
        guard let placeholder = flag.value else {
            guard parts.count == 1 else { throw error("\(name) takes no value") }
            switches.insert(name)
            return
        }
        if parts.count == 2 {
            values[name] = String(parts[1])
        } else if let value = rest.first, !value.hasPrefix("--") {
            values[name] = value
            rest.removeFirst()
        } else {
            throw error("\(name) needs a value, \(placeholder)")
        }
    }

    /// A problem with this command's arguments.
    func error(_ message: String) -> UsageError {
        UsageError(command: usage.name, message)
    }

    /// Whether a flag without a value is there.
    func has(_ name: String) -> Bool {
        switches.contains(name)
    }

    /// The text of a flag; nil when it is not there.
    func text(_ name: String) throws(UsageError) -> String? {
        guard let value = values[name] else { return nil }
        guard !value.isEmpty else { throw error("\(name) needs a value that is not empty") }
        return value
    }

    /// A whole number; nil when the flag is not there.
    func integer(_ name: String, _ range: ClosedRange<UInt64>) throws(UsageError) -> UInt64? {
        guard let value = values[name] else { return nil }
        guard value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt64(value),
            range.contains(number)
        else {
            throw error(
                "\(name): found \(Self.quoted(value)); allowed: a whole number from "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A whole number that fits an `Int`; nil when the flag is not there.
    func integer(_ name: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        let wide = UInt64(range.lowerBound)...UInt64(range.upperBound)
        return try integer(name, wide).map { Int($0) }
    }

    /// A number of plain digits with at most one point; nil when the flag is not there.
    func decimal(_ name: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double? {
        guard let value = values[name] else { return nil }
        let isPlain = value.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
        guard isPlain, let number = Double(value), range.contains(number) else {
            throw error(
                "\(name): found \(Self.quoted(value)); allowed: a number from "
                    + "\(JSONNumber(range.lowerBound).text) to \(JSONNumber(range.upperBound).text)"
            )
        }
        return number
    }

    /// Seconds of a time such as `90s`, `15m`, `12h` or `30d`; nil when the flag is not there.
    func duration(_ name: String, _ range: ClosedRange<Int64>) throws(UsageError) -> Int64? {
        guard let value = values[name] else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let digits = value.dropLast()
        guard let unit = value.last.flatMap({ units[$0] }), (1...9).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int64(digits),
            range.contains(number * unit)
        else {
            throw error(
                "\(name): found \(Self.quoted(value)); allowed: a whole number and s, m, h or d, "
                    + "from \(range.lowerBound)s to \(range.upperBound)s")
        }
        return number * unit
    }

    /// One of the cases of `Choice`; nil when the flag is not there.
    func choice<Choice>(_ name: String, of type: Choice.Type) throws(UsageError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let value = values[name] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("\(name): found \(Self.quoted(value)); allowed: \(names)")
        }
        return choice
    }

    /// An address; nil when the flag is not there.
    func address(_ name: String) throws(UsageError) -> ListenAddress? {
        guard let value = values[name] else { return nil }
        guard let address = ListenAddress(value) else {
            throw error("\(name): found \(Self.quoted(value)); allowed: \(ListenAddress.allowed)")
        }
        return address
    }

    /// Whom to trust for a daemon at an address; nil without `--tls`.
    func tls(at address: ListenAddress?) throws(UsageError) -> TLSTrust? {
        let (file, name) = (try text("--ca"), try text("--server-name"))
        guard has("--tls") else {
            if file != nil { throw error("--ca needs --tls") }
            if name != nil { throw error("--server-name needs --tls") }
            return nil
        }
        guard let address else { throw error("--tls goes with --connect only") }
        do throws(TLSFiles.Problem) {
            return try TLSTrust(authorities: file, expecting: name ?? address.host)
        } catch {
            throw self.error("--ca: \(error)")
        }
    }

    /// A session id at a place among the positional arguments.
    func session(at index: Int) throws(UsageError) -> SessionID {
        try session(positionals[index], of: "SESSION")
    }

    /// A session id that is a flag's value; nil when the flag is not there.
    func session(_ name: String) throws(UsageError) -> SessionID? {
        guard let value = values[name] else { return nil }
        return try session(value, of: name)
    }

    /// Session ids, all positional arguments, none of them twice.
    func sessions() throws(UsageError) -> [SessionID] {
        var ids: [SessionID] = []
        for text in positionals {
            let id = try session(text, of: "SESSION")
            guard !ids.contains(id) else { throw error("SESSION: \(id) is given twice") }
            ids.append(id)
        }
        return ids
    }

    private func session(_ text: String, of name: String) throws(UsageError) -> SessionID {
        guard let session = SessionID(text) else {
            throw error(
                "\(name): found \(Self.quoted(text)); allowed: 1 to "
                    + "\(SessionID.maximumBytes) letters, digits and . _ ~ -")
        }
        return session
    }

    /// An argument as a message shows it.
    static func quoted(_ text: String) -> String {
        JSONWriter.text(of: .string(text))
    }
}

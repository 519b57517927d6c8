import Coordinator

/// Compares a received line with a documented one, in which `…` stands for anything.
///
/// As a value `…` is any value, at a text's end any rest, in an object or list any further members.
/// Ids of clients and epochs are made up by the server: what a document says is bound to what is
/// received first and must then stay. Times are any number.
struct ExamplePattern {
    private static let made: Set = ["client", "epoch"]
    private static let times: Set = ["at", "until"]

    private var bindings: [String: String] = [:]

    /// A text to send, with the server's names in place of the document's.
    func bound(_ text: String) -> String {
        bindings.reduce(text) { text, binding in
            text.split(separator: binding.key, omittingEmptySubsequences: false)
                .joined(separator: binding.value)
        }
    }

    /// Where a line differs; nil when it does not, and then its names are bound.
    mutating func difference(_ documented: String, _ received: String) -> String? {
        var trial = self
        do throws(JSONError) {
            let wanted = try JSONParser.parse(text: Self.completed(documented)).root
            let actual = try JSONParser.parse(text: received, maximumDepth: 64).root
            guard let difference = trial.difference(wanted, actual, "") else {
                self = trial
                return nil
            }
            return difference
        } catch {
            return "no JSON: \(error)"
        }
    }

    private mutating func difference(_ wanted: JSON, _ actual: JSON, _ path: String) -> String? {
        switch (wanted, actual) {
        case (.string(let text), _) where text.hasSuffix("…"):
            if text == "…" { return nil }
            return actual.string?.hasPrefix(text.dropLast()) == true ? nil : "\(path) differs"
        case (.object(let wanted), .object(let actual)):
            var rest = Set(actual.members.map(\.key))
            for member in wanted.members where member.key != "…" {
                let key = bindings[member.key] ?? member.key
                guard let value = actual[key] else { return "\(path).\(key) is missing" }
                rest.remove(key)
                if let difference = self.difference(member, value, "\(path).\(key)") {
                    return difference
                }
            }
            let isOpen = wanted.members.contains { $0.key == "…" }
            return isOpen || rest.isEmpty ? nil : "\(path) has \(rest.sorted()) too"
        case (.array(let wanted), .array(let actual)):
            let isOpen = wanted.last == "…"
            let count = isOpen ? wanted.count - 1 : wanted.count
            guard isOpen ? actual.count >= count : actual.count == count else {
                return "\(path) has \(actual.count) elements"
            }
            for index in 0..<count {
                if let difference = difference(wanted[index], actual[index], "\(path)[\(index)]") {
                    return difference
                }
            }
            return nil
        default: return wanted == actual ? nil : "\(path) differs"
        }
    }

    private mutating func difference(
        _ wanted: JSONObject.Member, _ actual: JSON, _ path: String
    ) -> String? {
        if Self.times.contains(wanted.key), wanted.value.number != nil, actual.number != nil {
            return nil
        }
        guard Self.made.contains(wanted.key), let name = wanted.value.string, !name.hasSuffix("…"),
            let received = actual.string
        else { return difference(wanted.value, actual, path) }
        let bound = bindings[name] ?? received
        bindings[name] = bound
        return bound == received ? nil : "\(path) differs"
    }

    /// The line as JSON: a bare `…` becomes a text, or a member of that name.
    private static func completed(_ line: String) -> String {
        var output = ""
        var open: [Character] = []
        var last: Character = " "
        var isText = false
        for character in line {
            if isText {
                if character == "\"", last != "\\" { isText = false }
            } else if character == "…" {
                output += last != ":" && open.last == "{" ? #""…":"# : ""
                output += #""…""#
                last = character
                continue
            } else if character == "\"" {
                isText = true
            } else if character == "{" || character == "[" {
                open.append(character)
            } else if character == "}" || character == "]" {
                _ = open.popLast()
            }
            output.append(character)
            last = last == "\\" && character == "\\" ? " " : character
        }
        return output
    }
}

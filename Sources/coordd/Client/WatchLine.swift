package import Coordinator

/// One publication as a line for people: revision, time, who, what, and what changed.
package enum WatchLine {
    /// Changed places that are listed; the others are counted.
    private static let maximumChanges = 8
    /// Characters of one value that are shown.
    private static let maximumValue = 48

    /// The line of a publication's data; control characters of names and values are written out.
    package static func text(of publication: JSON) -> String {
        let event = publication["event"] ?? .null
        var words = [
            publication["rev"]?.number.map { "rev \($0.text)" } ?? "signal",
            time(publication["at"]?.number?.signed), sender(publication["by"]),
            description(of: event),
        ]
        words[0] += String(repeating: " ", count: max(0, 8 - words[0].count))
        if let patch = publication["patch"] {
            let changes = self.changes(in: patch)
            var list = changes.prefix(maximumChanges).joined(separator: ", ")
            if changes.count > maximumChanges {
                list += " and \(changes.count - maximumChanges) more"
            }
            words.append("| " + (list.isEmpty ? "no change" : list))
        }
        for warning in publication["warnings"]?.array ?? [] {
            let code = warning["code"]?.string ?? "?"
            words.append("! " + shown("\(code): \(warning["message"]?.string ?? "")"))
        }
        return words.joined(separator: "  ")
    }

    /// The line below it: which rule did what.
    package static func explanation(of publication: JSON) -> String {
        let explanations = Explainer.explanations(of: publication)
        let list = explanations.prefix(maximumChanges).map(\.text).joined(separator: "; ")
        let left = explanations.count - maximumChanges
        return "          " + list + (left > 0 ? " and \(left) more" : "")
    }

    /// The time of day in UTC of Unix milliseconds.
    package static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds, milliseconds >= 0 else { return "--:--:--.---Z" }
        let day = milliseconds % 86_400_000
        let parts = [day / 3_600_000, day / 60_000 % 60, day / 1000 % 60].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        let fraction = String(1000 + day % 1000).dropFirst()
        return parts.joined(separator: ":") + ".\(fraction)Z"
    }

    /// The places a merge patch changes, as `path: value` or `path: removed`.
    package static func changes(in patch: JSON, path: String = "") -> [String] {
        guard let object = patch.object, !object.isEmpty || path.isEmpty else {
            return ["\(path): \(patch.isNull ? "removed" : value(patch))"]
        }
        return object.members.flatMap { member in
            let name = PlainText.escaped(member.key)
            return changes(in: member.value, path: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// An event's type and its main fields.
    private static func description(of event: JSON) -> String {
        var words = [shown(event["type"]?.string ?? "?")]
        if event["type"] == "bridge" {
            words.append(shown(event["handler"]?.string ?? ""))
            if let body = event["body"] { words.append(value(body, maximum: 2 * maximumValue)) }
            return words.joined(separator: " ")
        }
        for member in event.object?.members ?? [] where member.key != "type" {
            words.append("\(shown(member.key))=\(value(member.value))")
        }
        return words.joined(separator: " ")
    }

    private static func sender(_ by: JSON?) -> String {
        let role = shown(by?["role"]?.string ?? "?")
        guard let device = by?["device"]?.string else { return role }
        return "\(shown(device)) (\(role))"
    }

    private static func value(_ value: JSON, maximum: Int = maximumValue) -> String {
        switch value {
        case .string(let text): shown(text, maximum: maximum)
        default: shown(PlainText.json(value), maximum: maximum)
        }
    }

    private static func shown(_ text: String, maximum: Int = maximumValue) -> String {
        let cut = text.count > maximum ? text.prefix(maximum - 1) + "…" : text[...]
        return PlainText.escaped(String(cut))
    }
}

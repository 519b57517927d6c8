import Coordinator

/// The text of `Config/coordd.example.json`, which is the manual of the configuration.
package enum ConfigurationExample {
    /// Every key with its default under a comment with meaning, default and allowed values.
    package static var text: String {
        var lines = header
        lines.append("{")
        lines += members(ConfigurationTable.keys[...], depth: 0)
        lines.append("}")
        return lines.joined(separator: "\n") + "\n"
    }

    private static let header = [
        "// The configuration of coordd. Every key stands here with its default.",
        "// Comments like this one are allowed, unknown and doubled keys are errors.",
        "// An environment variable wins over the file, a flag over both. Its name is COORDD_ and",
        "// the key in capitals: limits.messageBytes is COORDD_LIMITS_MESSAGE_BYTES. Lists and",
        "// objects are JSON there. Paths in this file start at its folder.",
        "// `coordd check-config FILE` names every mistake, and prints what is in effect.",
    ]

    private static func members(_ keys: ArraySlice<ConfigurationKey>, depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: depth + 1)
        var lines: [String] = []
        var rest = keys
        while let key = rest.first {
            let name = key.path[depth]
            let group = rest.prefix { $0.path.count > depth && $0.path[depth] == name }
            rest = rest.dropFirst(group.count)
            if !lines.isEmpty { lines.append("") }
            if key.path.count == depth + 1 {
                lines += entry(key, indent: indent, isLast: !hasValue(in: rest))
            } else {
                lines.append("\(indent)\"\(name)\": {")
                lines += members(group, depth: depth + 1)
                lines.append(indent + (hasValue(in: rest) ? "}," : "}"))
            }
        }
        return lines
    }

    private static func entry(
        _ key: ConfigurationKey, indent: String, isLast: Bool
    ) -> [String] {
        let slot = key.slot
        let standard = slot.defaultNote ?? JSONWriter.text(of: slot.read(Configuration()))
        let facts = ["Default: \(standard).", "Allowed: \(slot.allowed)."]
        let line = "\(indent)// " + facts.joined(separator: " ")
        let lines = line.count <= 100 ? [line] : facts.map { "\(indent)// \($0)" }
        let comment = ["\(indent)// \(key.meaning)."] + lines
        guard slot.defaultNote == nil else {
            return comment + ["\(indent)// \"\(key.leaf)\": \"…\","]
        }
        return comment + ["\(indent)\"\(key.leaf)\": \(standard)" + (isLast ? "" : ",")]
    }

    /// Whether any key is written as a value and not as a comment.
    private static func hasValue(in keys: ArraySlice<ConfigurationKey>) -> Bool {
        keys.contains { $0.slot.defaultNote == nil }
    }
}

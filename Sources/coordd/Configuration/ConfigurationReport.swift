import Actors
package import Coordinator

/// The effective configuration, as `check-config` prints it.
package struct ConfigurationReport {
    private let loaded: LoadedConfiguration

    /// A report on a valid configuration.
    package init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// A table of key, value and origin for each section.
    package var text: String {
        let top = keys.filter { $0.section.isEmpty }
        let rows = (top + keys.filter { !$0.section.isEmpty }).map { key in
            (section: key.section, leaf: key.leaf, value: shown(key), origin: origin(key))
        }
        let leafWidth = rows.map(\.leaf.count).max() ?? 0
        let valueWidth = rows.map(\.value.count).max() ?? 0
        var lines: [String] = []
        var section = ""
        for row in rows {
            if row.section != section {
                lines += ["", row.section]
                section = row.section
            }
            let indent = row.section.isEmpty ? "" : "  "
            lines.append(
                indent + padded(row.leaf, leafWidth + 4 - indent.count)
                    + padded(row.value, min(valueWidth, 40) + 2) + row.origin)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `{"ok":true,"file","configuration":{…},"origins":{…},"notes":[…]}`.
    package var json: JSON {
        var origins = JSONObject()
        for key in keys { origins.append(key.name, .string(origin(key))) }
        var object = JSONObject()
        object.append("ok", true)
        object.append("file", ifPresent: loaded.file.map { .string($0) })
        object.append("configuration", .object(nested(keys[...], depth: 0)))
        object.append("origins", .object(origins))
        object.append("notes", .array(notes.map { .string($0) }))
        return .object(object)
    }

    /// What is not wrong, but worth knowing.
    package var notes: [String] {
        var notes = loaded.exposure.map { [$0.description] } ?? []
        let auth = loaded.configuration.auth
        if auth.usesTokens, !auth.createSessions {
            notes.append(
                "auth.createSessions does nothing: with tokens their claim create decides")
        }
        if loaded.configuration.hasOpenOrigins { notes.append(Configuration.openOriginsNote) }
        return notes
    }

    private var keys: [ConfigurationKey] {
        ConfigurationTable.keys
    }

    private func value(_ key: ConfigurationKey) -> JSON {
        key.slot.read(loaded.configuration)
    }

    private func shown(_ key: ConfigurationKey) -> String {
        switch value(key) {
        case .null: key.slot.defaultNote ?? "none"
        case .string(let text): LogText.escaped(text)
        case let value: LogText.json(value)
        }
    }

    private func origin(_ key: ConfigurationKey) -> String {
        loaded.origin(of: key).description
    }

    /// Keys of one section are neighbours in the table, so one pass nests them.
    private func nested(_ keys: ArraySlice<ConfigurationKey>, depth: Int) -> JSONObject {
        var object = JSONObject()
        var rest = keys
        while let key = rest.first {
            let name = key.path[depth]
            let group = rest.prefix { $0.path.count > depth && $0.path[depth] == name }
            if key.path.count == depth + 1 {
                object.append(name, value(key))
            } else {
                object.append(name, .object(nested(group, depth: depth + 1)))
            }
            rest = rest.dropFirst(group.count)
        }
        return object
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

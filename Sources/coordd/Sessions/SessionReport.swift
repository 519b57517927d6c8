import Actors
import Coordinator

/// A session for people or for programs, without its secrets.
struct SessionReport {
    /// What only its stored form tells.
    struct Stored {
        var idleSince: Instant?
        /// The same in words.
        var idleness: String
        /// Commits since the snapshot.
        var commits: Int
        /// Bytes of its stored texts.
        var bytes: Int
        /// What the rules remember, without secrets.
        var memory: JSONObject
    }

    /// A publication of the replay window, without what it says.
    struct WindowEntry {
        var offset: UInt64
        var at: Instant
        var type: String
        var by: JSON?

        /// A publication whose data say when it was made, unless that is known better.
        init(offset: UInt64, data: JSON?, at: Instant? = nil) {
            self.offset = offset
            self.at = at ?? Instant(milliseconds: data?["at"]?.number?.signed ?? 0)
            type = data?["event"]?["type"]?.string ?? "unknown"
            by = data?["by"]
        }

        fileprivate var json: JSON {
            var object = JSONObject()
            object.append("offset", .integer(offset))
            object.append("at", .integer(at.milliseconds))
            object.append("by", ifPresent: by)
            object.append("type", .string(type))
            return .object(object)
        }
    }

    var id: String
    var epoch: String
    var revision: UInt64
    var state: JSON
    var window: [WindowEntry]
    /// Nil for what a running daemon tells.
    var stored: Stored?

    /// Everything, for programs.
    var json: JSON {
        var object = JSONObject()
        object.append("session", .string(id))
        object.append("epoch", .string(epoch))
        object.append("rev", .integer(revision))
        if let stored {
            object.append(
                "idleSince", ifPresent: stored.idleSince.map { .integer($0.milliseconds) })
            object.append("journal", .integer(stored.commits))
            object.append("bytes", .integer(stored.bytes))
        }
        object.append("state", state)
        object.append("memory", ifPresent: (stored?.memory).map { .object($0) })
        object.append("history", .array(window.map(\.json)))
        return .object(object)
    }

    /// Everything, for people.
    var text: String {
        var lines = [
            "session     \(PlainText.escaped(id))",
            "epoch       \(PlainText.escaped(epoch))",
            "rev         \(revision)",
        ]
        if let stored {
            lines += [
                "idle since  \(stored.idleness)",
                "journal     \(stored.commits) commits since the snapshot",
                "bytes       \(stored.bytes)",
            ]
        }
        lines += ["", "state:", PlainText.indentedJSON(state)]
        if let stored {
            lines += [
                "", "memory, without secrets:", PlainText.indentedJSON(.object(stored.memory)),
            ]
        }
        lines += ["", "replay window: \(window.count) publications"]
        let width = String(revision).count
        for entry in window {
            let offset = String(entry.offset)
            lines.append(
                "  " + String(repeating: " ", count: max(0, width - offset.count)) + offset
                    + "  \(CivilTime(entry.at).text)  \(PlainText.escaped(entry.type))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

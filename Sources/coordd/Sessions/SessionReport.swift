import Actors
import Coordinator

/// All that is stored of a session but its secrets.
///
/// Content as it was sent, page texts, scripts and digests stay out: of an effect only its kind and
/// number are told.
struct SessionReport {
    private let found: FoundSession
    private let stored: StoredSession

    /// A report about what was found and could be read.
    init(_ found: FoundSession, _ stored: StoredSession) {
        self.found = found
        self.stored = stored
    }

    /// Everything, for programs.
    var json: JSON {
        var object = JSONObject()
        object.append("session", .string(found.id))
        object.append("epoch", .string(stored.epoch))
        object.append("rev", .integer(stored.revision))
        object.append("idleSince", ifPresent: found.idleSince.map { .integer($0.milliseconds) })
        object.append("journal", .integer(stored.mark.commits))
        object.append("bytes", .integer(found.bytes))
        object.append("state", stored.viewing.state.json)
        object.append("memory", .object(memory))
        object.append("history", .array(window.map(\.json)))
        return .object(object)
    }

    /// Everything, for people.
    var text: String {
        var lines = [
            "session     \(found.id)",
            "epoch       \(PlainText.escaped(stored.epoch))",
            "rev         \(stored.revision)",
            "idle since  \(found.idleness)",
            "journal     \(stored.mark.commits) commits since the snapshot",
            "bytes       \(found.bytes)",
            "", "state:", PlainText.indentedJSON(stored.viewing.state.json),
            "", "memory, without secrets:", PlainText.indentedJSON(.object(memory)),
            "", "replay window: \(window.count) publications",
        ]
        let width = String(stored.revision).count
        for entry in window {
            let offset = String(entry.offset)
            lines.append(
                "  " + String(repeating: " ", count: max(0, width - offset.count)) + offset
                    + "  \(CivilTime(entry.at).text)  \(PlainText.escaped(entry.type))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension SessionReport {
    private var memory: JSONObject {
        let memory = stored.viewing.memory
        var object = JSONObject()
        object.append("lifecycle", ifPresent: memory.lifecycle.map { .string($0.rawValue) })
        object.append("stageDevice", ifPresent: memory.stageDevice.map { .string($0) })
        if memory.isStageTaken { object.append("stageTaken", true) }
        object.append(
            "stageGraceEnds", ifPresent: memory.stageGraceEnds.map { .integer($0.milliseconds) })
        object.append("hasContent", .bool(memory.content != nil))
        if memory.remembersClose { object.append("remembersClose", true) }
        if !memory.pageDeaths.isEmpty {
            object.append("pageDeaths", .integer(memory.pageDeaths.count))
        }
        object.append("placements", .array(memory.placements.map(Self.json)))
        object.append(
            "outbox",
            .array(
                memory.outbox.effects.map { effect in
                    [
                        "seq": .integer(effect.seq), "rev": .integer(effect.rev),
                        "kind": .string(effect.order.kind),
                    ]
                }))
        object.append(
            "rememberedIds",
            .array(
                stored.requests.byAge.map { device in
                    ["device": .string(device.name), "ids": .integer(device.order.count)]
                }))
        return object
    }

    private static func json(_ record: PlacementRecord) -> JSON {
        var object = record.state.json.object ?? JSONObject()
        object.append("placedAt", .integer(record.placedAt.milliseconds))
        object.append("deadline", .integer(record.deadline.milliseconds))
        object.append("offeredTo", ifPresent: record.offeredTo.map { .string($0) })
        return .object(object)
    }
}

extension SessionReport {
    /// A publication of the replay window, without what it says.
    private struct WindowEntry {
        var offset: UInt64
        var at: Instant
        var type: String
        var by: JSON?

        var json: JSON {
            var object = JSONObject()
            object.append("offset", .integer(offset))
            object.append("at", .integer(at.milliseconds))
            object.append("by", ifPresent: by)
            object.append("type", .string(type))
            return .object(object)
        }
    }

    private var window: [WindowEntry] {
        stored.history.entries(after: 0).map { entry in
            let data = try? JSONParser.parse(
                entry.publication.data.span, maximumDepth: JSONParser.maximumDepth + 8
            ).root
            return WindowEntry(
                offset: entry.publication.offset ?? 0, at: entry.at,
                type: data?["event"]?["type"]?.string ?? "unknown", by: data?["by"])
        }
    }
}

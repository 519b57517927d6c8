import Actors
import Coordinator

extension SessionReport {
    /// A report about what was found and could be read.
    ///
    /// Content as it was sent, page texts, scripts and digests stay out: of an effect only its kind
    /// and number are told.
    init(_ found: FoundSession, _ stored: StoredSession) {
        self.init(
            id: found.id, epoch: stored.epoch, revision: stored.revision,
            state: stored.viewing.state.json,
            window: stored.history.entries(after: 0).map { entry in
                let data = try? JSONParser.parse(
                    entry.publication.data.span, maximumDepth: JSONParser.maximumDepth + 8
                ).root
                return WindowEntry(
                    offset: entry.publication.offset ?? 0, data: data, at: entry.at)
            },
            stored: Stored(
                idleSince: found.idleSince, idleness: found.idleness,
                commits: stored.mark.commits, bytes: found.bytes,
                memory: Self.memory(of: stored)))
    }

    private static func memory(of stored: StoredSession) -> JSONObject {
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
        object.append("placements", .array(memory.placements.map(json)))
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

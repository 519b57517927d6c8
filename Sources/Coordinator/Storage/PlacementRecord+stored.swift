extension PlacementRecord: Storable {
    /// The placement as it is stored, alone or in its session's memory.
    package var stored: JSON {
        var object = JSONObject()
        object.append("number", .integer(number))
        object.append("command", command.stored)
        object.append("slipRevision", ifPresent: slipRevision.map { .integer($0) })
        object.append("state", state.json)
        object.append("placedAt", .integer(placedAt.milliseconds))
        object.append("deadline", .integer(deadline.milliseconds))
        object.append("offeredTo", ifPresent: offeredTo.map { .string($0) })
        return .object(object)
    }

    /// Reads a stored placement.
    ///
    /// - Throws: ``StorageFault`` for a member that is missing, mistyped, unknown or there twice.
    package init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        number = try fields.required("number")
        command = try fields.required("command")
        slipRevision = try fields.optional("slipRevision")
        state = try fields.required("state")
        placedAt = try fields.required("placedAt")
        deadline = try fields.required("deadline")
        offeredTo = try fields.optional("offeredTo")
        try fields.end()
    }

    private func hasSameID(as other: PlacementRecord) -> Bool {
        state.id.hasSameBytes(as: other.state.id)
    }

    /// The merge patch between lists of placements, each an object keyed by placement id; nil when
    /// none is left.
    ///
    /// Only placements that differ are turned into JSON: there may be a thousand.
    static func change(to new: [PlacementRecord], from old: [PlacementRecord]) -> JSON? {
        guard !new.isEmpty else { return nil }
        var patch = JSONObject()
        var dropped: [PlacementRecord] = []
        var added: [PlacementRecord] = []
        // Both are in order of their numbers.
        var rest = old[...]
        for record in new {
            while let first = rest.first, first.number < record.number {
                dropped.append(rest.removeFirst())
            }
            guard let first = rest.first, first.number == record.number,
                first.hasSameID(as: record)
            else {
                added.append(record)
                continue
            }
            rest.removeFirst()
            guard first != record else { continue }
            patch.append(
                record.state.id, ifPresent: MergePatch.diff(from: first.stored, to: record.stored))
        }
        dropped += rest
        for record in added {
            // An id can be dropped and used again in one event; a patch names it once.
            guard let index = dropped.firstIndex(where: { $0.hasSameID(as: record) }) else {
                patch.append(record.state.id, record.stored)
                continue
            }
            let before = dropped.remove(at: index)
            patch.append(
                record.state.id, ifPresent: MergePatch.diff(from: before.stored, to: record.stored))
        }
        for record in dropped { patch.append(record.state.id, .null) }
        return .object(patch)
    }

    /// Reads placements that are keyed by their ids, oldest first.
    static func list(stored json: JSON) throws(StorageFault) -> [PlacementRecord] {
        guard let object = json.object else { throw .expected("an object", not: json) }
        var records: [PlacementRecord] = []
        records.reserveCapacity(object.count)
        for member in object.members {
            do throws(StorageFault) {
                let record = try PlacementRecord(stored: member.value)
                guard record.state.id.hasSameBytes(as: member.key) else {
                    throw StorageFault("not the id that it is stored under", at: ["state", "id"])
                }
                records.append(record)
            } catch {
                throw error.within(member.key)
            }
        }
        records.sort { $0.number < $1.number }
        for (record, next) in zip(records, records.dropFirst()) where record.number == next.number {
            throw StorageFault("the number of another one", at: [next.state.id, "number"])
        }
        return records
    }
}

extension BetslipCommand.Place: Storable {
    fileprivate var stored: JSON {
        var object = JSONObject()
        object.append("placementId", .string(placementId))
        object.append("ifSlip", ifPresent: ifSlip.map { .integer($0) })
        object.append("decimalPrice", ifPresent: decimalPrice?.json)
        object.append("stake", ifPresent: stake?.json)
        return .object(object)
    }

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        placementId = try fields.required("placementId")
        ifSlip = try fields.optional("ifSlip")
        decimalPrice = try fields.optional("decimalPrice")
        stake = try fields.optional("stake")
        try fields.end()
    }
}

/// A session as one JSON object that leaves its store, and comes into another one.
///
/// Everything of the stored form is in it by name; secrets stay sealed.
package struct SessionDocument: Sendable, Equatable {
    /// Whose it is.
    package var id: SessionID
    /// The session.
    package var stored: StoredSession
    /// Since when nobody uses it; nil when it was in use as the daemon ended.
    package var idleSince: Instant?

    /// A session of a store.
    package init(id: SessionID, stored: StoredSession, idleSince: Instant?) {
        self.id = id
        self.stored = stored
        self.idleSince = idleSince
    }

    /// Levels of a document: those of a stored text, and what is wrapped around it here.
    package static let maximumDepth = JSONParser.maximumDepth + 16

    /// The object without its closing brace, so that more members can follow.
    package func openText(_ vault: Vault) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"session":"#)
        writer.string(id.description)
        writer.raw(#","epoch":"#)
        writer.string(stored.epoch)
        writer.raw(#","rev":"#)
        writer.integer(stored.revision)
        if !stored.owner.isEmpty {
            writer.raw(#","owner":"#)
            writer.string(stored.owner)
        }
        if let idleSince {
            writer.raw(#","idleSince":"#)
            writer.integer(idleSince.milliseconds)
        }
        writer.raw(#","state":"#)
        writer.write(stored.viewing.state.json)
        writer.raw(#","memory":"#)
        writer.write(stored.viewing.memory.document(vault))
        writer.raw(#","requests":"#)
        writer.write(.array(stored.requests.byAge.map(Self.json)))
        writer.raw(#","window":["#)
        for (place, entry) in stored.history.entries(after: 0).enumerated() {
            if place > 0 { writer.raw(",") }
            writer.raw("[")
            writer.integer(entry.at.milliseconds)
            writer.raw(",")
            // As it was sent, byte for byte.
            writer.raw(entry.publication.data)
            writer.raw("]")
        }
        writer.raw("]")
        return writer.bytes
    }

    private static func json(_ device: RequestMemory.Device) -> JSON {
        let answers = device.order.map { id in
            JSON.array([.string(id), device[id].map(JSON.object) ?? .null])
        }
        return ["device": .string(device.name), "answers": .array(answers)]
    }
}

extension SessionDocument {
    /// Reads a document; `vault` gives what opens the secrets of a session.
    ///
    /// The replay window is checked and left behind: whoever reads a document gives the session a
    /// new epoch, in which nothing of the old one is replayed.
    ///
    /// - Throws: ``StorageFault`` for a member that is missing, mistyped, unknown or there twice, and
    ///   for a secret that does not open.
    package init(
        _ json: JSON, vault: (SessionID) -> Vault, settings: SessionSettings
    ) throws(StorageFault) {
        var fields = try StoredFields(json)
        id = try fields.required("session") { (json) throws(StorageFault) in
            guard let id = json.string.flatMap({ SessionID($0) }) else {
                throw StorageFault("a session's id is expected")
            }
            return id
        }
        let epoch: String = try fields.required("epoch")
        let revision: UInt64 = try fields.required("rev")
        let owner: String? = try fields.optional("owner")
        idleSince = try fields.optional("idleSince")
        let state = try fields.required("state") { (json) throws(StorageFault) in json }
        let memory = try fields.required("memory") { (json) throws(StorageFault) in json }
        var record = SessionRecord(
            epoch: epoch, revision: revision,
            body: JSONWriter.bytes(of: ["state": state, "memory": memory]))
        record.owner = owner ?? ""
        record.devices = try fields.required("requests", Self.devices)
        try fields.required("window") { (json) throws(StorageFault) in
            try Self.checkWindow(json, revision)
        }
        try fields.end()
        stored = try record.decode(vault(id), settings: settings)
        // All of it is written anew.
        stored.mark = SnapshotMark()
    }

    private static func devices(
        _ json: JSON
    ) throws(StorageFault) -> [SessionSnapshot.Device] {
        guard let array = json.array else { throw .expected("an array", not: json) }
        var devices: [SessionSnapshot.Device] = []
        var names: Set<[UInt8]> = []
        for (place, json) in array.enumerated() {
            do throws(StorageFault) {
                var fields = try StoredFields(json)
                let name: String = try fields.required("device")
                let answers = try fields.required("answers") { (json) throws(StorageFault) in json }
                try fields.end()
                guard names.insert(Array(name.utf8)).inserted else {
                    throw StorageFault("there twice", at: ["device"])
                }
                devices.append(
                    SessionSnapshot.Device(
                        name: name, stamp: UInt64(place) + 1, body: JSONWriter.bytes(of: answers)))
            } catch {
                throw error.within("\(place)")
            }
        }
        return devices
    }

    private static func checkWindow(_ json: JSON, _ revision: UInt64) throws(StorageFault) {
        guard let entries = json.array else { throw .expected("an array", not: json) }
        guard UInt64(entries.count) <= revision else {
            throw StorageFault("more publications than revisions")
        }
        for (place, entry) in entries.enumerated() {
            guard let parts = entry.array, parts.count == 2, parts[0].number?.signed != nil,
                parts[1].object != nil
            else { throw StorageFault("a time and a publication are expected", at: ["\(place)"]) }
        }
    }
}

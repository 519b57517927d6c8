/// All that a store read of one session, before it is understood.
package struct SessionRecord: Sendable {
    /// A text of the replay window.
    package struct Window: Sendable {
        /// The revision of its last publication.
        package var last: UInt64
        /// Its lines.
        package var text: [UInt8]

        /// A text as it was read.
        package init(last: UInt64, text: [UInt8]) {
            self.last = last
            self.text = text
        }
    }

    /// The incarnation of the stream of revisions.
    package var epoch: String
    /// The user who made the session; empty when that was nobody with a name.
    package var owner = ""
    /// The revision of the snapshot.
    package var revision: UInt64
    /// The snapshot's state and memory.
    package var body: [UInt8]
    /// The replay window up to the snapshot, oldest first.
    package var windows: [Window] = []
    /// The idempotency ids up to the snapshot.
    package var devices: [SessionSnapshot.Device] = []
    /// The commits since, oldest first.
    package var journal: [JournalEntry] = []

    /// A record with a snapshot and nothing else.
    package init(epoch: String, revision: UInt64, body: [UInt8]) {
        self.epoch = epoch
        self.revision = revision
        self.body = body
    }

    /// Bytes of all its texts.
    package var byteCount: Int {
        let commits = journal.reduce(0) { sum, entry in
            sum
                + [entry.publication, entry.memory, entry.answer].reduce(0) {
                    $0 + ($1?.count ?? 0)
                }
        }
        return body.count + windows.reduce(0) { $0 + $1.text.count }
            + devices.reduce(0) { $0 + $1.body.count } + commits
    }

    /// The session; what was sealed is opened with `vault`.
    ///
    /// - Throws: ``StorageFault`` for the first thing that is not as it was written.
    package func decode(
        _ vault: Vault, settings: SessionSettings
    ) throws(StorageFault) -> StoredSession {
        let snapshot = try Self.parse(body, at: "snapshot")
        var state = snapshot["state"] ?? .null
        var memory = snapshot["memory"] ?? .null
        var requests = RequestMemory(
            idsPerDevice: settings.idempotencyIDs, maximumDevices: settings.idempotencyDevices)
        for device in devices.sorted(by: { $0.stamp < $1.stamp }) {
            requests.restore(
                device.name, stamp: device.stamp, try Self.answers(of: device))
        }
        let mark = SnapshotMark(
            revision: revision, stamp: requests.stamp, commits: journal.count)
        var entries: [History.Entry] = []
        for window in windows { entries += try WindowText.decode(window.text, last: window.last) }
        var newest = revision
        for entry in journal {
            let place = "journal.\(entry.revision)"
            if let publication = entry.publication {
                guard entry.revision == newest + 1 else {
                    throw StorageFault("revision \(newest + 1) is expected", at: [place])
                }
                let data = try Self.parse(publication, at: place)
                state = MergePatch.apply(data["patch"] ?? .object(JSONObject()), to: state)
                entries.append(
                    History.Entry(
                        Publication(offset: entry.revision, data: publication),
                        at: Instant(milliseconds: data["at"]?.number?.signed ?? 0)))
            } else if entry.revision != newest {
                throw StorageFault("revision \(newest) is expected", at: [place])
            }
            newest = entry.revision
            if let patch = entry.memory {
                memory = MergePatch.apply(try Self.parse(patch, at: place), to: memory)
            }
            if let answer = entry.answer { try Self.restore(answer, into: &requests, at: place) }
        }
        let viewing = Viewing(
            state: try Self.under("state") { () throws(StorageFault) in
                try SessionState(stored: state)
            },
            memory: try Self.under("memory") { () throws(StorageFault) in
                try SessionMemory(stored: memory, vault)
            })
        return StoredSession(
            epoch: epoch, revision: newest, viewing: viewing, requests: requests,
            history: History(
                size: settings.historySize, seconds: settings.historySeconds, top: newest,
                entries: entries),
            mark: mark, owner: owner)
    }
}

extension SessionRecord {
    /// Levels of a stored text: those of a line from a client, and what is wrapped around it.
    private static let maximumDepth = JSONParser.maximumDepth + 8

    private static func parse(_ text: [UInt8], at place: String) throws(StorageFault) -> JSON {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONParser.parse(text.span, maximumDepth: maximumDepth)
        } catch {
            throw StorageFault("no JSON at byte \(error.offset)", at: [place])
        }
        // Nothing that is written has one.
        if let defect = document.defects.first {
            throw StorageFault(defect.kind.description, at: [place] + defect.path)
        }
        return document.root
    }

    private static func under<Value>(
        _ place: String, _ body: () throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value {
        do throws(StorageFault) {
            return try body()
        } catch {
            throw error.within(place)
        }
    }

    private static func answers(
        of device: SessionSnapshot.Device
    ) throws(StorageFault) -> [(id: String, answer: JSONObject)] {
        let place = "requests.\(device.name)"
        guard let pairs = try parse(device.body, at: place).array else {
            throw StorageFault("an array is expected", at: [place])
        }
        var answers: [(id: String, answer: JSONObject)] = []
        for pair in pairs {
            guard let parts = pair.array, parts.count == 2, let id = parts[0].string,
                let answer = parts[1].object
            else { throw StorageFault("id and answer are expected", at: [place]) }
            answers.append((id, answer))
        }
        return answers
    }

    private static func restore(
        _ text: [UInt8], into requests: inout RequestMemory, at place: String
    ) throws(StorageFault) {
        guard let parts = try parse(text, at: place).array, parts.count == 3,
            let device = parts[0].string, let id = parts[1].string, let answer = parts[2].object
        else { throw StorageFault("device, id and answer are expected", at: [place]) }
        requests.remember(answer, for: RequestMemory.Key(device: device, id: id))
    }
}

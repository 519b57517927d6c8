/// A session as a store keeps it: JSON texts that can be replaced one by one.
package struct SessionSnapshot: Sendable {
    /// What is remembered of one device's idempotency ids.
    package struct Device: Sendable {
        /// The device's id.
        package var name: String
        /// When it was changed last, among the devices of the session.
        package var stamp: UInt64
        /// Pairs of id and first answer, oldest first.
        package var body: [UInt8]

        /// A device as it was read.
        package init(name: String, stamp: UInt64, body: [UInt8]) {
            self.name = name
            self.stamp = stamp
            self.body = body
        }
    }

    /// The newest revision.
    package var revision: UInt64
    /// State and memory.
    package var body: [UInt8]
    /// The publications that came since the snapshot before: a line each, its time and its data.
    package var window: [UInt8]
    /// The oldest revision that is still replayed; older lines can go.
    package var windowStart: UInt64
    /// Whether ``window`` is all of it.
    package var windowIsWhole: Bool
    /// The devices that changed since the snapshot before.
    package var devices: [Device]
    /// Devices of an older stamp are forgotten.
    package var firstStamp: UInt64

    /// What a store has to write of `stored`; secrets are sealed by `vault`.
    package init(_ stored: StoredSession, _ vault: Vault) {
        revision = stored.revision
        body = JSONWriter.bytes(
            of: [
                "state": stored.viewing.state.json,
                "memory": stored.viewing.memory.document(vault),
            ])
        window = WindowText.encode(stored.history.entries(after: stored.mark.revision))
        windowStart = stored.history.first
        windowIsWhole = stored.mark.revision == 0
        let devices = stored.requests.byAge
        firstStamp = devices.first?.stamp ?? .max
        self.devices = devices.filter { $0.stamp > stored.mark.stamp }.map { device in
            let answers = device.order.map { id in
                JSON.array([.string(id), device[id].map(JSON.object) ?? .null])
            }
            return Device(
                name: device.name, stamp: device.stamp,
                body: JSONWriter.bytes(of: .array(answers)))
        }
    }
}

/// Publications as lines of their time in Unix milliseconds, a tab and their data.
enum WindowText {
    private static let tab = UInt8(ascii: "\t")
    private static let lineFeed = UInt8(ascii: "\n")

    static func encode(_ entries: some Sequence<History.Entry>) -> [UInt8] {
        var text: [UInt8] = []
        for entry in entries {
            text.append(contentsOf: String(entry.at.milliseconds).utf8)
            text.append(tab)
            // JSON without blanks has no line end: control characters are escaped.
            text.append(contentsOf: entry.publication.data)
            text.append(lineFeed)
        }
        return text
    }

    /// The lines of a text whose last publication is revision `last`.
    static func decode(
        _ text: [UInt8], last: UInt64
    ) throws(StorageFault) -> [History.Entry] {
        let lines = text.split(separator: lineFeed)
        guard UInt64(lines.count) <= last else {
            throw StorageFault("more publications than revisions", at: ["window", "\(last)"])
        }
        var offset = last - UInt64(lines.count)
        var entries: [History.Entry] = []
        entries.reserveCapacity(lines.count)
        for line in lines {
            offset += 1
            guard let end = line.firstIndex(of: tab),
                let at = Int64(String(decoding: line[..<end], as: UTF8.self))
            else { throw StorageFault("a time is expected", at: ["window", "\(offset)"]) }
            entries.append(
                History.Entry(
                    Publication(offset: offset, data: Array(line[(end + 1)...])),
                    at: Instant(milliseconds: at)))
        }
        return entries
    }
}

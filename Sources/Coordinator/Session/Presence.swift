/// Who follows a channel: one entry per device, however many connections it has.
///
/// A device joins with its first connection and leaves with its last (contract: protocol,
/// Channels).
package struct Presence: Sendable {
    private struct Entry: Sendable {
        var info: ClientInfo
        var connections: Set<UInt64>
        var place: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var devices: [UInt64: String] = [:]
    private var joins: UInt64 = 0

    /// Nobody.
    package init() {}

    /// Every device, in the order of joining.
    package var clients: [ClientInfo] {
        entries.values.sorted { $0.place < $1.place }.map(\.info)
    }

    /// The number of devices.
    package var clientCount: Int { entries.count }

    /// The number of different users.
    package var userCount: Int { Set(entries.values.map(\.info.user)).count }

    /// Adds a connection; gives the entry when the device was not there before.
    package mutating func join(_ info: ClientInfo, connection: UInt64) -> ClientInfo? {
        devices[connection] = info.device
        guard entries[info.device]?.connections.insert(connection) == nil else { return nil }
        joins += 1
        entries[info.device] = Entry(info: info, connections: [connection], place: joins)
        return info
    }

    /// Removes a connection; gives the entry when it was the device's last.
    package mutating func leave(connection: UInt64) -> ClientInfo? {
        guard let device = devices.removeValue(forKey: connection),
            var entry = entries[device]
        else { return nil }
        entry.connections.remove(connection)
        entries[device] = entry.connections.isEmpty ? nil : entry
        return entry.connections.isEmpty ? entry.info : nil
    }
}

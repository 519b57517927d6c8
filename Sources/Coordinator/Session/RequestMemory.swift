/// The idempotency ids of accepted events and their first answers, per device.
///
/// Bounded on both sides, the oldest dropped first (contract: domain, section 2.1).
package struct RequestMemory: Sendable, Equatable {
    /// An idempotency id and the device it belongs to.
    package struct Key: Sendable, Hashable {
        /// The device that sent the event.
        package var device: String
        /// The id it gave.
        package var id: String

        /// A device's id for one event.
        package init(device: String, id: String) {
            self.device = device
            self.id = id
        }
    }

    /// What is remembered of one device.
    package struct Device: Sendable, Equatable {
        /// The device's id.
        package var name: String
        /// Grows with every answer of any device: tells who was silent longest, and what changed.
        package var stamp: UInt64
        /// The ids from the oldest to the newest.
        package fileprivate(set) var order: [String] = []
        fileprivate var answers: [String: JSONObject] = [:]

        /// A device of which nothing is remembered.
        package init(name: String, stamp: UInt64) {
            self.name = name
            self.stamp = stamp
        }

        /// The first answer to an id; nil when it is not remembered.
        package subscript(id: String) -> JSONObject? { answers[id] }
    }

    private var devices: [String: Device] = [:]
    private let idsPerDevice: Int
    private let maximumDevices: Int

    /// The stamp of the newest answer; 0 before the first.
    package private(set) var stamp: UInt64 = 0

    /// An empty memory for `idsPerDevice` ids of each of `maximumDevices` devices.
    package init(idsPerDevice: Int, maximumDevices: Int) {
        self.idsPerDevice = idsPerDevice
        self.maximumDevices = maximumDevices
    }

    /// The devices from the one that was silent longest to the newest.
    package var byAge: [Device] { devices.values.sorted { $0.stamp < $1.stamp } }

    /// The first answer to `key`; nil when it is not remembered.
    package func answer(to key: Key) -> JSONObject? {
        devices[key.device]?[key.id]
    }

    /// Remembers the first answer to `key`.
    package mutating func remember(_ answer: JSONObject, for key: Key) {
        stamp += 1
        devices[key.device, default: Device(name: key.device, stamp: stamp)]
            .remember(answer, for: key.id, stamp: stamp, limit: idsPerDevice)
        dropSilent()
    }

    /// Takes a stored device in, as far as the bounds let it.
    package mutating func restore(
        _ name: String, stamp: UInt64, _ answers: some Sequence<(id: String, answer: JSONObject)>
    ) {
        var device = Device(name: name, stamp: stamp)
        for (id, answer) in answers {
            device.remember(answer, for: id, stamp: stamp, limit: idsPerDevice)
        }
        devices[name] = device
        self.stamp = max(self.stamp, stamp)
        dropSilent()
    }

    private mutating func dropSilent() {
        while devices.count > maximumDevices,
            let silent = devices.values.min(by: { $0.stamp < $1.stamp })
        {
            devices[silent.name] = nil
        }
    }
}

extension RequestMemory.Device {
    fileprivate mutating func remember(
        _ answer: JSONObject, for id: String, stamp: UInt64, limit: Int
    ) {
        self.stamp = stamp
        guard answers.updateValue(answer, forKey: id) == nil else { return }
        order.append(id)
        if order.count > limit { answers[order.removeFirst()] = nil }
    }
}

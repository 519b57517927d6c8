/// The idempotency ids of accepted events and their first answers, per device.
///
/// Bounded on both sides, the oldest dropped first (contract: domain, section 2.1).
package struct RequestMemory: Sendable {
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

    fileprivate struct Device: Sendable {
        var answers: [String: JSONObject] = [:]
        /// The ids from the oldest to the newest.
        var order: [String] = []
    }

    private var devices: [String: Device] = [:]
    /// The devices from the one that was silent longest to the newest.
    private var order: [String] = []
    private let idsPerDevice: Int
    private let maximumDevices: Int

    /// An empty memory for `idsPerDevice` ids of each of `maximumDevices` devices.
    package init(idsPerDevice: Int, maximumDevices: Int) {
        self.idsPerDevice = idsPerDevice
        self.maximumDevices = maximumDevices
    }

    /// The first answer to `key`; nil when it is not remembered.
    package func answer(to key: Key) -> JSONObject? {
        devices[key.device]?.answers[key.id]
    }

    /// Remembers the first answer to `key`.
    package mutating func remember(_ answer: JSONObject, for key: Key) {
        if order.last != key.device {
            order.removeAll { $0 == key.device }
            order.append(key.device)
        }
        devices[key.device, default: Device()].remember(answer, for: key.id, limit: idsPerDevice)
        if order.count > maximumDevices {
            devices[order.removeFirst()] = nil
        }
    }
}

extension RequestMemory.Device {
    fileprivate mutating func remember(_ answer: JSONObject, for id: String, limit: Int) {
        guard answers.updateValue(answer, forKey: id) == nil else { return }
        order.append(id)
        if order.count > limit { answers[order.removeFirst()] = nil }
    }
}

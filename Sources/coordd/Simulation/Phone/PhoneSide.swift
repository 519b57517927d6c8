/// How a phone is held, with what the operating system reports about it.
package enum PhoneSide: String, Sendable, Equatable, CaseIterable {
    case portrait
    case landscapeLeft
    case landscapeRight

    /// The interface side for a device side: they are named by opposite edges.
    package var interface: String {
        switch self {
        case .portrait: "portrait"
        case .landscapeLeft: "landscapeRight"
        case .landscapeRight: "landscapeLeft"
        }
    }

    /// The device side that draws `interface`; nil for a side this phone does not use.
    package init?(interface: String) {
        guard let side = Self.allCases.first(where: { $0.interface == interface }) else {
            return nil
        }
        self = side
    }
}

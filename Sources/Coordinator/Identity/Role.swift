/// What a device may do in a session (contract: domain, section 1).
package enum Role: String, Sendable, Hashable {
    /// Hosts the web view: everything.
    case player
    /// A second screen: reads, and sends betslip, full-screen and picture-in-picture commands.
    case mirror
    /// Reads only.
    case observer
    /// The session itself, for its own events.
    case system
    /// The HTTP API.
    case api

    /// Whether it may do no more than the other one.
    func isAtMost(_ other: Role) -> Bool { rank <= other.rank }

    private var rank: Int {
        switch self {
        case .observer: 0
        case .mirror: 1
        case .player: 2
        case .system, .api: 3
        }
    }
}

/// Who sent an event, as its publication names it.
package struct Origin: Sendable, Hashable {
    /// The device's stable id; nil for the session itself and the HTTP API.
    package var device: String?
    /// The role it acts in.
    package var role: Role
    /// Whether it is the connected stage of the session.
    package var holdsStage: Bool
    /// Whether it may place a bet as a mirror; only tokens forbid that.
    package var mayPlace: Bool

    /// A sender and its standing in the session.
    package init(
        device: String?, role: Role, holdsStage: Bool = false, mayPlace: Bool = true
    ) {
        self.device = device
        self.role = role
        self.holdsStage = holdsStage
        self.mayPlace = mayPlace
    }

    /// The session itself.
    package static let system = Origin(device: nil, role: .system)

    /// The `by` member of a publication.
    package var json: JSON {
        var object = JSONObject()
        object.append("device", ifPresent: device.map { .string($0) })
        object.append("role", .string(role.rawValue))
        return .object(object)
    }
}

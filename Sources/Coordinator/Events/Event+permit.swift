extension Event {
    /// Checks that the sender may send this event at all (contract: domain, sections 1 and 3).
    ///
    /// - Parameters:
    ///   - origin: Who sends it.
    ///   - viewing: The session, which knows the device that was offered a bet.
    /// - Throws: 103, with `stage.notHeld` or `role.forbidden`.
    package func permit(_ origin: Origin, in viewing: Viewing) throws(Rejection) {
        switch self {
        case .bridge, .device:
            guard origin.holdsStage else {
                throw .forbidden("stage.notHeld", "only the stage relays messages and facts")
            }
        case .betslip(.settle(let verdict)):
            guard
                origin.holdsStage || origin.role == .api
                    || viewing.wasOffered(verdict.placementId, to: origin.device)
            else {
                throw .forbidden(
                    "role.forbidden",
                    "only the stage and the device that was offered the bet settle it")
            }
        case .betslip(.place) where origin.role == .mirror && !origin.mayPlace:
            throw .forbidden(
                "role.forbidden", "the token does not let a mirror place bets (claim place)")
        case .fullscreen, .pip, .betslip:
            guard [.player, .mirror, .api].contains(origin.role) else {
                throw Self.forbidden(origin)
            }
        case .player, .widgetUpdate, .setTheme, .setLocale, .loginComplete:
            guard [.player, .api].contains(origin.role) else { throw Self.forbidden(origin) }
        }
    }

    private static func forbidden(_ origin: Origin) -> Rejection {
        .forbidden("role.forbidden", "the role \(origin.role.rawValue) may not send this event")
    }
}

extension Viewing {
    /// Whether this device was the stage that was told to place the bet.
    fileprivate func wasOffered(_ placementId: String, to device: String?) -> Bool {
        guard let device else { return false }
        return memory.placements.contains {
            $0.state.id.hasSameBytes(as: placementId) && $0.offeredTo == device
        }
    }
}

extension Event {
    /// Checks that the sender may send this event at all (contract: domain, sections 1 and 3).
    ///
    /// - Throws: 103, with `stage.notHeld` or `role.forbidden`.
    package func permit(_ origin: Origin) throws(Rejection) {
        switch self {
        case .bridge, .device:
            guard origin.holdsStage else {
                throw .forbidden("stage.notHeld", "only the stage relays messages and facts")
            }
        case .betslip(.settle):
            // Which device was offered the bet is known to the rule.
            guard origin.role != .observer else { throw Self.forbidden(origin) }
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

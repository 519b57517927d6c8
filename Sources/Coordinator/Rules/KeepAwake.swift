/// Keep-awake (contract: domain, section 4.5).
extension Transition {
    /// Follows from the rest of the state; told when it changes, last among an event's effects.
    mutating func settleKeepAwake() {
        let isShown =
            memory.lifecycle != .background || state.pip.phase != .inactive
        let isOn =
            state.player.phase == .ready && state.stage?.connected == true && isShown
        guard isOn != state.keepAwake || repeatsKeepAwake else { return }
        state.keepAwake = isOn
        emit(.setKeepAwake(isOn))
    }
}

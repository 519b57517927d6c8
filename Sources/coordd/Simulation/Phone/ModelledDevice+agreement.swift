package import Coordinator

/// Whether a device does what the session's state says.
extension ModelledDevice {
    /// Where the device and the state differ, when nothing is under way; empty when they agree.
    ///
    /// A closed player is in no full screen and has no page, whatever the state remembers of them.
    package func differences(from state: JSON) -> [String] {
        var found: [String] = []
        func compare(_ what: String, _ here: String?, _ there: String?) {
            guard here != there else { return }
            found.append("\(what): \(here ?? "none") here, \(there ?? "none") in the state")
        }
        let phase = state["player"]?["phase"]?.string
        let mode = state["presentation"]?["mode"]?.string
        compare("keep-awake", "\(staysAwake)", "\(state["keepAwake"]?.bool ?? false)")
        compare("small window", windowPhase, state["pip"]?["phase"]?.string)
        compare("interface", interface.interface, state["orientation"]?["interface"]?.string)
        compare("held", side.rawValue, state["orientation"]?["device"]?.string)
        compare("tab", tab, state["presentation"]?["tab"]?.string)
        compare("turn asked for", nil, state["orientation"]?["requested"]?.string)
        guard phase != "closed" else { return found }
        compare("full screen", "\(isFullscreen)", "\(mode == "fullscreen")")
        compare("shown in the small window", "\(window == .active)", "\(mode == "pip")")
        compare(
            "page", page.map { "\($0.generation)" },
            state["player"]?["page"]?.number?.unsigned.map { "\($0)" })
        guard phase == "ready" else { return found }
        for mark in marks {
            guard let expected = mark.expected(state) else { continue }
            let told = page?.told[mark.name] ?? mark.initially
            if told != expected { compare("script \(mark.name)", told, expected) }
        }
        return found
    }

    /// What is still going on although another device has the stage.
    package var remains: [String] {
        var found: [String] = []
        if isShown { found.append("the player is still shown") }
        if staysAwake { found.append("it is still kept awake") }
        // One that opens just now is the app's to take back, see ``loseStage()``.
        if window == .active { found.append("the small window is still there") }
        return found
    }

    private var windowPhase: String {
        switch window {
        case .none: "inactive"
        case .starting: "starting"
        case .active: "active"
        case .stopping: "stopping"
        }
    }
}

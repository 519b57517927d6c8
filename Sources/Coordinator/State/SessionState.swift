/// The published state of a session, field for field (contract: domain, section 2).
///
/// An unknown value is absent, so that `null` in a patch always means "removed".
package struct SessionState: Sendable, Equatable {
    /// Whose player is shown; nil until the first load or bridge message.
    package var vendor: Vendor?
    /// The player and its page.
    package var player = PlayerState()
    /// How the player is shown.
    package var presentation = Presentation()
    /// How the phone is held and its screen drawn.
    package var orientation = OrientationState()
    /// Picture-in-picture.
    package var pip = PictureInPictureState()
    /// The betslip.
    package var betslip = BetslipState()
    /// Whether the device must not fall asleep.
    package var keepAwake = false
    /// A short notice on every screen.
    package var toast: Toast?
    /// The device whose web view is live.
    package var stage: StageState?

    /// The state of a new session.
    package init() {}

    /// The whole state as JSON, absent values left out.
    package var json: JSON {
        var object = JSONObject()
        object.append("vendor", ifPresent: vendor.map { .string($0.rawValue) })
        object.append("player", player.json)
        object.append("presentation", presentation.json)
        object.append("orientation", orientation.json)
        object.append("pip", pip.json)
        object.append("betslip", betslip.json)
        object.append("keepAwake", .bool(keepAwake))
        object.append("toast", ifPresent: toast?.json)
        object.append("stage", ifPresent: stage?.json)
        return .object(object)
    }

    /// The merge patch from `old` to this state; only sections that differ are turned into JSON.
    package func patch(from old: SessionState) -> JSON {
        var patch = JSONObject()
        func compare<Section: Equatable>(
            _ key: String, _ section: (SessionState) -> Section, _ json: (Section) -> JSON?
        ) {
            let before = section(old)
            let after = section(self)
            guard before != after else { return }
            switch (json(before), json(after)) {
            case (let before?, let after?):
                patch.append(key, ifPresent: MergePatch.diff(from: before, to: after))
            case (nil, let after?): patch.append(key, after)
            case (_, nil): patch.append(key, .null)
            }
        }
        compare("vendor", { $0.vendor }, { vendor in vendor.map { .string($0.rawValue) } })
        compare("player", { $0.player }, { $0.json })
        compare("presentation", { $0.presentation }, { $0.json })
        compare("orientation", { $0.orientation }, { $0.json })
        compare("pip", { $0.pip }, { $0.json })
        compare("betslip", { $0.betslip }, { $0.json })
        compare("keepAwake", { $0.keepAwake }, { .bool($0) })
        compare("toast", { $0.toast }, { $0?.json })
        compare("stage", { $0.stage }, { $0?.json })
        return .object(patch)
    }
}

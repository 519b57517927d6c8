/// The published state of a session, field for field (contract: domain, section 2).
///
/// An unknown value is absent, so that `null` in a patch always means "removed".
package struct SessionState: Sendable, Equatable {
    /// Whose player is shown; nil until the first load or bridge message.
    package var vendor: Vendor?
    /// How the player is shown.
    package var presentation = Presentation()
    /// Picture-in-picture.
    package var pip = PictureInPictureState()
    /// Whether the device must not fall asleep.
    package var keepAwake = false
    /// A short notice on every screen.
    package var toast: Toast?
    /// The device whose web view is live.
    package var stage: StageState?

    private var sharedPlayer = Shared(PlayerState())
    private var sharedOrientation = Shared(OrientationState())
    private var sharedBetslip = Shared(BetslipState())

    /// The player and its page.
    package var player: PlayerState {
        _read { yield sharedPlayer.value }
        _modify { yield &sharedPlayer.value }
    }

    /// How the phone is held and its screen drawn.
    package var orientation: OrientationState {
        _read { yield sharedOrientation.value }
        _modify { yield &sharedOrientation.value }
    }

    /// The betslip.
    package var betslip: BetslipState {
        _read { yield sharedBetslip.value }
        _modify { yield &sharedBetslip.value }
    }

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

    /// The merge patch from `old` to this state; an empty object when nothing differs.
    package func patch(from old: SessionState) -> JSON {
        let patch = patchText(from: old)
        return (try? JSONParser.parse(patch.span, maximumDepth: .max))?.root ?? [:]
    }

    /// The text of the merge patch from `old` to this state.
    package func patchText(from old: SessionState) -> [UInt8] {
        var copy = self
        return copy.settle(onto: old)
    }

    /// The merge patch from `old` to this state; only sections that differ are turned into JSON.
    ///
    /// Equal texts and amounts may be written differently. No patch tells of that, so a section that
    /// equals the old one is taken over from there: folded patches give the state byte for byte.
    mutating func settle(onto old: SessionState) -> [UInt8] {
        var patch = PatchText()
        Self.settle("vendor", &vendor, onto: old.vendor, in: &patch) { vendor in
            vendor.map { .string($0.rawValue) }
        }
        Self.settle("player", &sharedPlayer, onto: old.sharedPlayer, in: &patch) { $0.value.json }
        Self.settle("presentation", &presentation, onto: old.presentation, in: &patch) { $0.json }
        Self.settle("orientation", &sharedOrientation, onto: old.sharedOrientation, in: &patch) {
            $0.value.json
        }
        Self.settle("pip", &pip, onto: old.pip, in: &patch) { $0.json }
        if sharedBetslip.isSame(as: old.sharedBetslip) {
            // Nothing to look at.
        } else if sharedBetslip == old.sharedBetslip {
            sharedBetslip = old.sharedBetslip
        } else {
            patch.object("betslip") { patch in
                betslip.addChanges(since: old.betslip, to: &patch)
            }
        }
        Self.settle("keepAwake", &keepAwake, onto: old.keepAwake, in: &patch) { .bool($0) }
        Self.settle("toast", &toast, onto: old.toast, in: &patch) { $0?.json }
        Self.settle("stage", &stage, onto: old.stage, in: &patch) { $0?.json }
        return patch.finished()
    }

    private static func settle<Section: Equatable>(
        _ key: StaticString, _ section: inout Section, onto old: Section,
        in patch: inout PatchText, _ json: (Section) -> JSON?
    ) {
        guard section != old else {
            section = old
            return
        }
        if let value = json(section) {
            patch.json(key, from: json(old), to: value)
        } else {
            patch.remove(key)
        }
    }
}

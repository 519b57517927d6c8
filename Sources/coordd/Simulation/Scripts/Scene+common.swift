import Coordinator

/// Scenes that phones of every vendor play.
extension Scene {
    /// What needs no vendor: rotation, tabs, lifecycle, a web process that dies, a take-over, and a bet,
    /// since the slip is the session's and not a page's.
    package static let common: [Scene] = [
        Scene("rotation", weight: 2) { [$0.turns(1...3)] },
        Scene("rotation storm") { [$0.turns(6...10)] },
        Scene("refused rotation") { _ in
            // Both tries are refused, so the session rolls back.
            [.refuseRotations(2), fullscreen(nil)]
        },
        Scene("full screen swiped away") { _ in [fullscreen(true), .pause, .pause, .swipe] },
        Scene("other tab and back") { _ in [.tab("stats"), .pause, .tab("video")] },
        Scene("keyboard") { [.keyboard($0.one(of: 0, 336))] },
        Scene("background and back") { _ in
            [.lifecycle("background"), .pause, .lifecycle("active")]
        },
        // The rules allow three deaths a minute.
        Scene("web process died", most: 2) { _ in [.processDied] },
        Scene("page ready twice") { _ in [.readyAgain] },
        Scene("bet placed in the app", weight: 2) { improvisation in
            let selection = improvisation.selection().fields(priceAsNumber: false)
            let type = JSONObject.Member(key: "type", value: "betslip.open")
            return [
                .command(.object(JSONObject([type] + selection.members))),
                .command(["type": "betslip.update", "stake": "10.00"]), .pause,
                improvisation.placement(),
            ]
        },
        Scene("second phone takes over") { _ in [.takeOver] },
    ]

    /// Full screen by the app's own button.
    package static let fullscreenButton: [Scene] = [
        Scene("full-screen button") { [fullscreen($0.one(of: true, false, nil))] },
        Scene("full-screen button tapped twice") { _ in [fullscreen(nil), fullscreen(nil)] },
    ]

    /// Picture-in-picture by the app and by the operating system.
    package static let pictureInPicture: [Scene] = [
        Scene("picture-in-picture, stopped by the app") { _ in
            [command("pip.start"), .pause, command("pip.stop")]
        },
        Scene("picture-in-picture, restored by the viewer") { _ in
            [command("pip.toggle"), .pause, .smallWindow(.restored)]
        },
        Scene("picture-in-picture tapped twice") { _ in
            [command("pip.toggle"), command("pip.toggle")]
        },
        Scene("picture-in-picture while the app comes back") { _ in
            [.lifecycle("background"), command("pip.start"), .lifecycle("active")]
        },
        Scene("picture-in-picture refused") { _ in [.refuseSmallWindow, command("pip.start")] },
        Scene("picture-in-picture by itself, in the background") { _ in
            [
                .lifecycle("background"), .smallWindow(.startsByItself), .pause,
                .lifecycle("active"), .smallWindow(.closed),
            ]
        },
    ]

    /// The viewer leaves by `exit` and comes back.
    package static func leaving(by exit: PhoneStep) -> Scene {
        Scene("player left and opened again") { _ in [exit, .pause, .load] }
    }

    /// A command without fields.
    package static func command(_ type: String) -> PhoneStep {
        .command(["type": .string(type)])
    }

    private static func fullscreen(_ on: Bool?) -> PhoneStep {
        guard let on else { return command("fullscreen.toggle") }
        return .command(["type": "fullscreen.set", "on": .bool(on)])
    }
}

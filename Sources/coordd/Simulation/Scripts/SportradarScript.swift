import Coordinator

/// Sportradar: statistics widgets of changing height (contract: domain, section 5.4).
extension VendorScript {
    /// A viewer who looks at statistics in the theme and the language of the app.
    package static let sportradar = VendorScript(
        vendor: "sportradar",
        content: { fixture, _ in
            [
                "clientId": "coordd-simulation", "widget": "match.lmtPlus",
                "props": ["matchId": .integer(50_000_000 + fixture)],
            ]
        },
        marks: [
            ScriptMark(
                "theme", #"SIR("setClientTheme", "#,
                value: ScriptMark.string(between: #"SIR("setClientTheme", "#, ")"),
                expected: { $0["player"]?["theme"]?.string }),
            ScriptMark(
                "locale", #"SIR("changeLanguage", "#,
                value: ScriptMark.string(between: #"SIR("changeLanguage", "#, ")"),
                expected: { $0["player"]?["locale"]?.string }),
            ScriptMark("widget", #"SIR("updateWidget", "#),
        ],
        scenes: Scene.common + Scene.fullscreenButton + sportradarScenes + [
            .leaving(by: Scene.command("player.close"))
        ])

    private static func say(_ body: JSON) -> PhoneStep {
        .message(PageMessage("srBridge", body))
    }

    private static let sportradarScenes: [Scene] = [
        Scene("widget grows", weight: 3) { improvisation in
            let height = improvisation.tenths(in: 1000...9000)
            return [say(["type": "height", "height": height])]
        },
        Scene("widget's height again and again") { improvisation in
            let message = say([
                "type": "height", "height": .integer(improvisation.number(in: 100...900)),
            ])
            return [message, message, say(["type": "height", "height": "tall"])]
        },
        Scene("tracking") { improvisation in
            let name = improvisation.one(of: "odds_click", "widget_loaded", "tab_change")
            return [say(["type": "onTrack", "eventName": .string(name), "eventData": ["n": 1]])]
        },
        Scene("item tapped") { improvisation in
            let object: JSON = ["matchId": 7]
            let data = improvisation.one(of: object, #"{"matchId":8}"#, "not JSON")
            return [say(["type": "onItemClick", "target": "externalOdds", "data": data])]
        },
        Scene("other message") { _ in [say(["type": "onScroll", "y": 3])] },
        Scene("theme", weight: 2) { improvisation in
            let theme = improvisation.one(of: "sportradar", "sportradardark", "</script>")
            return [.command(["type": "theme.set", "theme": .string(theme)])]
        },
        Scene("locale", weight: 2) { improvisation in
            let locale = improvisation.one(of: "en-GB", "de", "it")
            return [.command(["type": "locale.set", "locale": .string(locale)])]
        },
        Scene("widget updated") { improvisation in
            let match = JSON.integer(improvisation.number(in: 1...999))
            return [.command(["type": "widget.update", "props": ["matchId": match]])]
        },
        Scene("message without type") { _ in [say("height")] },
    ]
}

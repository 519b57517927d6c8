import Coordinator

/// Bambuser: a live shop on the customer's own page (contract: domain, section 5.5).
extension VendorScript {
    /// A viewer who notes the next show, shares it and looks at products.
    package static let bambuser = VendorScript(
        vendor: "bambuser",
        content: { fixture, _ in
            [
                "pageURL": "https://shop.example/live?lang=en#player",
                "showId": .string("show-\(fixture)"), "mockLive": .bool(fixture % 2 == 0),
            ]
        },
        ready: [event("READY")],
        marks: [
            ScriptMark(
                "appConfig", "window.iosAppConfig=", value: ScriptMark.between("=", ";"))
        ],
        scenes: Scene.common + Scene.fullscreenButton + bambuserScenes + [
            .leaving(by: .message(event("CLOSE")))
        ])

    private static func event(_ name: String, _ data: JSON? = nil) -> PageMessage {
        var body = JSONObject()
        body.append("eventName", .string("player.EVENT.\(name)"))
        body.append("data", ifPresent: data)
        return PageMessage("bambuserEventHandler", .object(body))
    }

    private static let bambuserScenes: [Scene] = [
        Scene("calendar", weight: 2) { improvisation in
            let start = improvisation.one(
                of: "2026-01-01T20:00:00Z", "2026-01-01T20:00:00.250+01:00")
            let duration = improvisation.one(of: 3_600_000 as JSON, "1800000", "soon")
            return [
                .message(
                    event(
                        "SHOW_ADD_TO_CALENDAR",
                        [
                            "title": "Spring show", "start": .string(start), "duration": duration,
                            "url": "https://shop.example/live", "description": "New things",
                        ]))
            ]
        },
        Scene("share") { improvisation in
            let good: JSON = ["url": "https://shop.example/live"]
            return [.message(event("SHOW_SHARE", improvisation.one(of: good, ["url": "x"])))]
        },
        Scene("product", weight: 2) { improvisation in
            let sku = "sku-\(improvisation.number(in: 1...99))"
            return [.message(event("SHOW_PRODUCT_VIEW", ["sku": .string(sku)]))]
        },
        Scene("link in a new window", weight: 2) { improvisation in
            let url = improvisation.one(
                of: "https://shop.example/privacy/policy", "https://shop.example/terms", "no link")
            return [.navigation("newWindow", url: url)]
        },
        Scene("locale, then the page anew") { improvisation in
            let locale = improvisation.one(of: "en-GB", "sv-SE", "</script>")
            return [
                .command(["type": "locale.set", "locale": .string(locale)]),
                .message(event("CLOSE")), .pause, .load,
            ]
        },
        Scene("unknown message") { _ in
            [
                .message(event("CHECKOUT", [:])),
                .message(PageMessage("bambuserEventHandler", "text")),
            ]
        },
    ]
}

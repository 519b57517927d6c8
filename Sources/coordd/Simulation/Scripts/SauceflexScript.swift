import Coordinator

/// Sauceflex: a live shop with a login and picture-in-picture (contract: domain, section 5.2).
extension VendorScript {
    /// A viewer who shops; every second one is logged in from the start.
    package static let sauceflex = VendorScript(
        vendor: "sauceflex",
        content: { fixture, canary in
            var content = JSONObject()
            content.append("liveId", .string("live-\(fixture)"))
            if fixture % 2 == 1 { content.append("accessToken", .string("\(canary)-token")) }
            return .object(content)
        },
        options: ["autoRotate": true], ready: [PageMessage("sauceflexEnter", [:])],
        hasPictureInPicture: true,
        marks: [
            ScriptMark(
                "pipButton", "sauceflexPictureInPictureUse",
                value: ScriptMark.between("sauceflexPictureInPictureUse(", ")"),
                expected: { $0["pip"]?["button"]?.bool.map { "\($0)" } }),
            ScriptMark("pipOverlay", "sauceflexPictureInPictureOn", value: { _ in "hidden" }),
            ScriptMark("pipOverlay", "sauceflexPictureInPictureOff", value: { _ in "shown" }),
        ],
        scenes: Scene.common + Scene.fullscreenButton + Scene.pictureInPicture
            + sauceflexScenes + [.leaving(by: say("sauceflexMoveExit", [:]))])

    private static func say(_ handler: String, _ body: JSON) -> PhoneStep {
        .message(PageMessage(handler, body))
    }

    private static let sauceflexScenes: [Scene] = [
        Scene("picture-in-picture by the page") { _ in
            [say("sauceflexPictureInPicture", [:]), .pause, say("sauceflexPictureInPicture", [:])]
        },
        Scene("picture-in-picture by the page, without event") { _ in
            let message = say("sauceflexPictureInPictureNoEvent", [:])
            return [message, .pause, message]
        },
        Scene("picture-in-picture button") { improvisation in
            [.command(["type": "pip.button", "visible": .bool(improvisation.chance(50))])]
        },
        Scene("login") { _ in [say("sauceflexMoveLogin", [:])] },
        Scene("product") { improvisation in
            let number = improvisation.number(in: 1...99)
            let text = #"{"productId":\#(number),"price":"19.90"}"#
            let object: JSON = ["productId": .integer(number), "price": "19.90"]
            return [say("sauceflexMoveProduct", improvisation.one(of: object, .string(text)))]
        },
        Scene("share") { improvisation in
            let good: JSON = ["linkUrl": "https://shop.example/live"]
            let text: JSON = #"{"linkUrl":"https://shop.example/live?from=text"}"#
            return [say("sauceflexOnShare", improvisation.one(of: good, text, ["linkUrl": "no"]))]
        },
        Scene("banner") { improvisation in
            let link = improvisation.one(of: "https://shop.example/banner", "javascript:alert(1)")
            return [
                say(
                    "sauceflexMoveBanner",
                    ["bannerId": 3, "linkUrl": .string(link), "broadcastIdx": 1])
            ]
        },
        Scene("free text") { _ in [say("bridge", "hello"), say("sauceflexNews", [:])] },
    ]
}

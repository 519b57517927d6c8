import Coordinator

/// LiSA: a live shop whose page only navigates (contract: domain, section 5.3).
extension VendorScript {
    /// A viewer who waits for the show and follows links.
    package static let lisa = VendorScript(
        vendor: "lisa",
        content: { fixture, _ in
            ["clientId": "coordd-simulation", "showId": .string("show-\(fixture)")]
        },
        options: ["autoRotate": true, "playerDismissCtaState": "enabled"],
        hasPictureInPicture: true,
        scenes: Scene.common + Scene.fullscreenButton + Scene.pictureInPicture + lisaScenes + [
            .leaving(by: Scene.command("player.close"))
        ])

    private static let lisaScenes: [Scene] = [
        Scene("redirect from schedule to live") { improvisation in
            let show = "https://coordd-simulation.loveslisa.tech/s/show-\(improvisation.fixture)"
            let live = improvisation.number(in: 1...9)
            return [.navigation("finished", url: "\(show)/live/\(live)")]
        },
        Scene("link in a new window", weight: 2) { improvisation in
            let number = improvisation.number(in: 1...99)
            return [.navigation("newWindow", url: "https://shop.example/item/\(number)")]
        },
        Scene("link that is no address") { _ in [.navigation("newWindow", url: "not a link")] },
        Scene("message of the page", weight: 2) { improvisation in
            [.message(PageMessage("MessageFromLiSA", improvisation.one(of: "hi", ["cart": 2])))]
        },
    ]
}

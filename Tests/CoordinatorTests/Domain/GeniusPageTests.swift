import Coordinator
import Foundation
import Security
import Testing

/// The page of the Genius player, as the shipped template makes it.
@Suite struct GeniusPageTests {
    private static let template: String? = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Config/genius.html")
        return try? String(contentsOf: file, encoding: .utf8)
    }()

    private static let mark = "window.geniusConfiguration = "

    /// Loads `content` and gives the page's text.
    private func page(_ content: JSON) throws -> String {
        var policy = Policy()
        policy.genius.template = try PageTemplate(try #require(Self.template))
        var session = try TestSession.staged(policy: policy)
        let load: JSON = ["type": "player.load", "vendor": "genius", "content": content]
        let outcome = try session.send(JSONWriter.text(of: load))
        return try #require(outcome.effects.first?.json["html"]?.string)
    }

    /// The configuration object in a page's text.
    private func configuration(in html: String) throws -> JSON {
        let start = try #require(html.range(of: Self.mark))
        let end = try #require(html[start.upperBound...].range(of: ";\n"))
        return try JSONParser.parse(text: String(html[start.upperBound..<end.lowerBound])).root
    }

    @Test func `the shipped template is one, with what the player needs`() throws {
        let text = try #require(Self.template)
        #expect(throws: Never.self) { try PageTemplate(text) }
        for part in [
            "class=\"video-container\"", "full-screen", "gsVideoPlayerBridge", "widgetLoader",
        ] {
            #expect(text.contains(part))
        }
    }

    @Test func `defaults stand where the content says nothing`() throws {
        #expect(
            try configuration(in: page([:])) == [
                "customerId": "", "fixtureId": "", "playerWidth": "100vw",
                "playerHeight": "100vh", "controlsEnabled": "true", "audioEnabled": "true",
                "allowFullScreen": "true", "bufferLength": "2", "autoplayEnabled": "true",
                "environment": "UAT",
            ])
    }

    @Test(arguments: [
        ("PROD", "PROD"), ("CI", "CI"), ("UAT", "UAT"), ("prod", "UAT"), ("x", "UAT"),
    ])
    func `an unknown environment is the test environment`(given: String, used: String) throws {
        let found = try configuration(in: page(["environment": .string(given)]))
        #expect(found["environment"] == .string(used))
    }

    @Test func `the e-mail is hashed, alone and with the device`() throws {
        let found = try configuration(in: page(["userEmail": "abc", "deviceId": "d"]))
        // FIPS 180-4, the example "abc".
        #expect(
            found["hashedUserEmail"]
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(found["hashedUserId"] == .string(SHA256.hex("d_abc")))
        #expect(found["userEmail"] == nil)
        #expect(found["deviceId"] == "d")
    }

    @Test(arguments: [
        "</script><script>alert(1)</script>", "<!--<script>", "a\u{2028}b", "a\u{2029}b",
        #"O'Neil "x" \ y"#, "line\r\nend\u{0}", "{{config}}", "${x}", "`",
        "\u{1F468}\u{200D}\u{1F467}",
        "]]>", "&lt;", "\u{85}",
    ])
    func `hostile text stays text`(text: String) throws {
        let plain = try page(["fixtureId": "1"])
        let html = try page(["fixtureId": .string(text)])
        #expect(try configuration(in: html)["fixtureId"] == .string(text))
        // Not one more tag, line or comment than in the harmless page.
        for mark in ["<", "\n", "\u{2028}", "\u{2029}", "\r", "\u{0}"] {
            #expect(
                html.components(separatedBy: mark).count
                    == plain.components(separatedBy: mark).count)
        }
    }

    @Test func `the base URL is percent-encoded`() throws {
        var session = try TestSession.staged()
        try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"cgFixtureId":"a&b=c d/é","#
                + #""showPlayerTracking":"true"}}"#)
        #expect(
            session.viewing.state.player.baseURL
                == "https://api.geniussports.com?fixtureImmersive=a%26b%3Dc%20d%2F%C3%A9"
                + "&liveStreamId=&showPlayerTrackingGuides=true")
    }

    @Test func `the selector is safe inside the script`() throws {
        var policy = Policy()
        policy.genius.fullscreenSelector = "a[title=\"</script>\u{2028}\"]"
        var session = try TestSession.ready(policy: policy)
        let outcome = try session.send(#"{"type":"fullscreen.set","on":true}"#)
        let script = try #require(outcome.effects[1].json["script"]?.string)
        #expect(script.hasSuffix(##"("a[title=\"\u003c/script>\u2028\"]",true)"##))
    }
}

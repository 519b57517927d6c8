package import Coordinator

/// All that a simulated phone has to know of one vendor: its content, its page and its scenes.
package struct VendorScript: Sendable {
    /// The vendor's name (contract: domain, section 2).
    package var vendor: String
    /// The content for session number `fixture`; secrets in it hold `canary`, which nobody else may
    /// see.
    package var content: @Sendable (_ fixture: Int, _ canary: String) -> JSON
    /// The options of the load.
    package var options: JSON = [:]
    /// What the page says when it is up; empty where the navigation says it.
    package var ready: [PageMessage] = []
    /// Whether the web view has picture-in-picture.
    package var hasPictureInPicture = false
    /// The scripts that the page knows.
    package var marks: [ScriptMark] = []
    /// What happens at the phone.
    package var scenes: [Scene]

    /// The load of session number `fixture`.
    package func load(fixture: Int, canary: String) -> JSON {
        [
            "type": "player.load", "vendor": .string(vendor), "content": content(fixture, canary),
            "options": options,
        ]
    }
}

/// Every number, selector and template of the rules (contract: protocol, configuration).
package struct Policy: Sendable {
    /// Who decides about a bet.
    package enum Confirmation: String, Sendable, CaseIterable {
        /// The host app asks its book and settles.
        case host
        /// Accepted at once.
        case auto
    }

    /// Who decides about a bet.
    package var betslipConfirm = Confirmation.host
    /// Seconds until a placement without an outcome is unknown.
    package var betslipDeadlineSeconds: Int64 = 30
    /// Seconds in which a connected stage is to acknowledge what may be rolled back.
    package var effectDeadlineSeconds: Int64 = 5
    /// Seconds until a disconnected stage is free.
    package var stageGraceSeconds: Int64 = 30
    /// Effects in the outbox.
    package var outboxLimit = 64
    /// Bytes of the effects in the outbox together: they leave in one line when the stage subscribes.
    package var outboxBytes = 524_288
    /// Selections on a slip.
    package var selectionLimit = 50
    /// Placements remembered in a session.
    package var placementLimit = 1000
    /// Seconds that a placement is remembered.
    package var placementSeconds: Int64 = 86_400
    /// Milliseconds that a toast stays.
    package var toastMilliseconds: Int64 = 3000
    /// Bytes of a state as JSON.
    package var stateBytes = 65_536
    /// Bytes of `content` as JSON.
    package var contentBytes = 16_384
    /// Bytes of an id or a text field of a selection.
    package var textBytes = 256
    /// What has a text or a table in it, shared by all copies: every event takes one.
    private var shared = Shared(Tables())

    private struct Tables {
        var secretQueryParameters: Set<String> = ["accesstoken", "token", "apikey", "password"]
        var handlers: [String: Vendor] = [:]
        var vendors = VendorTable.standard
        var genius = GeniusPolicy()
        var sauceflex = SauceflexPolicy()
        var sportradar = SportradarPolicy()
        var bambuser = BambuserPolicy()
    }

    /// Names of URL query parameters that are secrets, in lower case.
    ///
    /// The one that Sauceflex has in its page's address is always among them.
    package var secretQueryParameters: Set<String> {
        get { shared.value.secretQueryParameters }
        set { shared.value.secretQueryParameters = newValue.union(["accesstoken"]) }
    }

    /// Handler names that stand for a vendor besides its own.
    package var handlers: [String: Vendor] {
        _read { yield shared.value.handlers }
        _modify { yield &shared.value.handlers }
    }

    /// The vendors that are served.
    package var vendors: VendorTable {
        _read { yield shared.value.vendors }
        _modify { yield &shared.value.vendors }
    }

    /// The Genius page.
    package var genius: GeniusPolicy {
        _read { yield shared.value.genius }
        _modify { yield &shared.value.genius }
    }

    /// Sauceflex.
    package var sauceflex: SauceflexPolicy {
        _read { yield shared.value.sauceflex }
        _modify { yield &shared.value.sauceflex }
    }

    /// The Sportradar page.
    package var sportradar: SportradarPolicy {
        _read { yield shared.value.sportradar }
        _modify { yield &shared.value.sportradar }
    }

    /// Bambuser.
    package var bambuser: BambuserPolicy {
        _read { yield shared.value.bambuser }
        _modify { yield &shared.value.bambuser }
    }

    /// The contract's defaults.
    package init() {}

    /// The vendor whose page posts to a handler of this name; nil for a name that nobody knows.
    func vendor(handling name: String) -> Vendor? {
        handlers[name] ?? vendors.vendor(handling: name)
    }
}

/// The configurable parts of the Genius bridge.
package struct GeniusPolicy: Sendable {
    /// The page around the player.
    package var template = PageTemplate.plain
    /// The elements that full screen is set on, as a CSS selector.
    package var fullscreenSelector = ".video-container, .container-video"

    /// The contract's defaults, with a page that holds nothing but the configuration.
    package init() {}
}

/// The configurable parts of the Sauceflex bridge.
package struct SauceflexPolicy: Sendable {
    /// Milliseconds between the page's ready message and the script for its button.
    package var pipUseDelayMilliseconds = 500
    /// The field of a share message that holds the address.
    package var shareField = "linkUrl"

    /// The contract's defaults.
    package init() {}
}

/// The configurable parts of the Sportradar bridge.
package struct SportradarPolicy: Sendable {
    /// The page around the widget.
    package var template = PageTemplate.plain

    /// The contract's defaults, with a page that holds nothing but the configuration.
    package init() {}
}

/// The configurable parts of the Bambuser bridge.
package struct BambuserPolicy: Sendable {
    /// An address whose path contains one of these opens outside the player.
    package var openURLPatterns = ["/privacy"]

    /// The contract's defaults.
    package init() {}
}

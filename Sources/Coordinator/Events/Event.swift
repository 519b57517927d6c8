/// Every event that a session accepts from outside (contract: domain, section 3).
package enum Event: Sendable, Equatable {
    case bridge(BridgeMessage)
    case device(DeviceFact)
    case player(PlayerCommand)
    case fullscreen(FullscreenCommand)
    case pip(PictureInPictureCommand)
    case betslip(BetslipCommand)
    case widgetUpdate(selector: String, props: JSONObject)
    case setTheme(String)
    case setLocale(String)
    case loginComplete(accessToken: Secret<String>)
}

/// A message of the vendor's page, relayed by the phone (contract: domain, section 3.3).
package struct BridgeMessage: Sendable, Equatable {
    /// The name of the message handler.
    package var handler: String
    /// Whatever the page sent.
    package var body: JSON
    /// The generation of the page that sent it, where known.
    package var page: UInt64?
}

/// What the device observed (contract: domain, section 3.1).
package enum DeviceFact: Sendable, Equatable {
    /// Where the app is.
    package enum Lifecycle: String, Sendable {
        case active, inactive, background
    }

    /// What the device's picture-in-picture did.
    package enum PictureInPicture: String, Sendable {
        case willStart, started, willStop, restore, stopped, failed
    }

    /// What the web view's navigation did.
    package enum Navigation: String, Sendable {
        case committed, finished, failed, provisionalFailed, newWindow, terminated
    }

    case capabilities(pip: Bool)
    case orientation(DeviceOrientation, Geometry)
    case interface(InterfaceOrientation, Geometry)
    case geometry(Geometry)
    case tab(Presentation.Tab)
    case keyboard
    case lifecycle(Lifecycle)
    case pip(PictureInPicture, error: String?)
    case navigation(Navigation, url: String?, error: Fault?)
    case dismissed
    case disappeared
    case report(Facts)

    /// What went wrong, in the device's words.
    package struct Fault: Sendable, Equatable {
        /// The device's code for it; nil for the usual one of its fact.
        package var code: String?
        /// What a person can read.
        package var message: String

        /// A fault without a code of its own, or with one.
        package init(code: String? = nil, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The screen's size and safe area, as far as an event has them.
    package struct Geometry: Sendable, Equatable {
        package var screen: OrientationState.Size?
        package var safeArea: OrientationState.Insets?
    }

    /// A full report (contract: domain, section 3.1, `device.report`).
    package struct Facts: Sendable, Equatable {
        package var orientation: DeviceOrientation?
        package var interface: InterfaceOrientation?
        package var geometry = Geometry()
        package var tab: Presentation.Tab?
        package var lifecycle: Lifecycle?
        package var supportsPictureInPicture: Bool?
        package var pipActive: Bool?
    }
}

/// Commands about the player (contract: domain, section 3.2).
package enum PlayerCommand: Sendable, Equatable {
    case load(vendor: Vendor, content: JSONObject, options: LoadOptions)
    case close
    case sources([PlayerState.Source])
    case source(id: String)
}

/// How a page is used; nil where the vendor's default holds (contract: domain, section 5).
package struct LoadOptions: Sendable, Equatable {
    /// Whether the sensor may change full screen.
    package var autoRotate: Bool?
    /// Whether closing the small window closes the player.
    package var closeOnPipClose: Bool?
    /// All others, for the vendor's page (contract: domain, section 5.3).
    package var others = JSONObject()

    /// The vendor's defaults.
    package init() {}
}

/// Commands about full screen (contract: domain, section 3.2).
package enum FullscreenCommand: Sendable, Equatable {
    case set(Bool)
    case toggle
}

/// Commands about picture-in-picture (contract: domain, section 3.2).
package enum PictureInPictureCommand: Sendable, Equatable {
    case start, stop, toggle
    case button(visible: Bool)
}

/// Commands about the betslip (contract: domain, section 3.2).
package enum BetslipCommand: Sendable, Equatable {
    case open(Selection?, stake: Amount?)
    case add(Selection)
    case remove(Selection)
    case update(Selection?, stake: Amount?)
    case close
    case cancel
    case place(Place)
    case settle(Settle)

    /// A wish to place the bet.
    package struct Place: Sendable, Equatable {
        package var placementId: String
        /// The slip's revision that the viewer saw.
        package var ifSlip: UInt64?
        /// The total price that the viewer saw.
        package var decimalPrice: Amount?
        /// The stake that the viewer saw.
        package var stake: Amount?
    }

    /// What the book decided.
    package struct Settle: Sendable, Equatable {
        package var placementId: String
        package var outcome: PlacementOutcome
        package var reason: String?
        /// The stake that the book took, where it changed it.
        package var stake: Amount?

        /// A verdict.
        package init(
            placementId: String, outcome: PlacementOutcome, reason: String? = nil,
            stake: Amount? = nil
        ) {
            self.placementId = placementId
            self.outcome = outcome
            self.reason = reason
            self.stake = stake
        }
    }
}

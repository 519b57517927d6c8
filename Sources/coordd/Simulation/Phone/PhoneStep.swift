package import Coordinator

/// One thing that a viewer, a web page, an app or an operating system does at a phone.
package enum PhoneStep: Sendable, Equatable {
    /// What happens to the small window without the session's wish.
    package enum WindowAct: Sendable, Equatable {
        /// The operating system starts it, as when the app goes to the background.
        case startsByItself
        /// The viewer goes back to the player.
        case restored
        /// The viewer closes it.
        case closed
    }

    /// The phone is turned; each side leads to a `device.orientation` and a `device.interface`.
    case rotate([PhoneSide])
    /// The viewer looks at the other tab.
    case tab(String)
    /// The keyboard comes (points) or goes (0).
    case keyboard(Int)
    /// The application goes to the background or comes back.
    case lifecycle(String)
    /// The web content process dies; the page must be loaded again.
    case processDied
    /// The viewer swipes the device's own full-screen view away.
    case swipe
    /// The web view navigates by itself.
    case navigation(String, url: String)
    /// The page says something.
    case message(PageMessage)
    /// The page says once more that it is ready.
    case readyAgain
    /// The app sends a command.
    case command(JSON)
    /// The app loads the session's content.
    case load
    /// The viewer places the slip.
    case place(id: String, withConditions: Bool)
    /// The operating system will refuse so many turns of the screen.
    case refuseRotations(Int)
    /// The operating system will refuse the next small window.
    case refuseSmallWindow
    /// The small window comes or goes by itself.
    case smallWindow(WindowAct)
    /// A second phone takes the stage.
    case takeOver
    /// The steps after this one come a little later.
    case pause

    /// How many events the step leads to, answers to effects not counted.
    package var eventCount: Int {
        switch self {
        case .rotate(let sides): 2 * sides.count
        case .refuseRotations, .refuseSmallWindow, .pause: 0
        case .smallWindow: 2
        default: 1
        }
    }
}

/// A message of a vendor's page (contract: domain, section 3.3).
package struct PageMessage: Sendable, Equatable {
    /// The name of the message handler.
    package var handler: String
    /// Whatever the page sends.
    package var body: JSON

    /// A message.
    package init(_ handler: String, _ body: JSON) {
        self.handler = handler
        self.body = body
    }
}

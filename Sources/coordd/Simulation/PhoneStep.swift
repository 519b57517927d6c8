/// One thing that a viewer, a web page or an operating system does in the Genius script.
package enum PhoneStep: Sendable, Equatable {
    /// The phone is turned; each side leads to a `device.orientation` and a `device.interface`.
    case rotate([PhoneSide])
    /// The page's full-screen button; nil leaves the direction to the session.
    case pageFullscreen(Bool?)
    /// A tap on odds in the page.
    case openBetslip(SimulatedSelection)
    /// A second selection.
    case addToBetslip(SimulatedSelection)
    /// The price of the last selection moves, in hundredths.
    case oddsMoved(Int)
    /// A selection is taken off.
    case removeFromBetslip(SimulatedSelection)
    /// The slip is put away by the page.
    case closeBetslip
    /// The page lays out the place of the slip, in tenths of points.
    case container(top: Int, left: Int, width: Int, height: Int)
    /// The viewer types a stake, in hundredths.
    case stake(Int)
    /// The viewer places the slip.
    case place(id: String, withConditions: Bool)
    /// The viewer looks at the other tab.
    case tab(String)
    /// The keyboard comes (points) or goes (0).
    case keyboard(Int)
    /// The application goes to the background or comes back.
    case lifecycle(String)
    /// The web content process dies; the page must be loaded again.
    case processDied

    /// How many events the step leads to, answers to effects not counted.
    package var eventCount: Int {
        if case .rotate(let sides) = self { 2 * sides.count } else { 1 }
    }
}

/// How a phone is held, with what the operating system reports about it.
package enum PhoneSide: String, Sendable, Equatable, CaseIterable {
    case portrait
    case landscapeLeft
    case landscapeRight

    /// The interface side for a device side: they are named by opposite edges.
    package var interface: String {
        switch self {
        case .portrait: "portrait"
        case .landscapeLeft: "landscapeRight"
        case .landscapeRight: "landscapeLeft"
        }
    }

    /// The device side that draws `interface`; nil for a side this phone does not use.
    package init?(interface: String) {
        guard let side = Self.allCases.first(where: { $0.interface == interface }) else {
            return nil
        }
        self = side
    }
}

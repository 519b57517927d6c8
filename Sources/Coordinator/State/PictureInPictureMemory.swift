/// What is remembered of the small window beside the state (contract: domain, sections 2.1 and 4.3).
package struct PictureInPictureMemory: Sendable, Equatable {
    /// How the player was shown before; nil while no small window is there.
    package var mode: Presentation.Mode?
    /// Whether the device announced a start, which counts then even if nobody here asks for it.
    package var sawWillStart = false
    /// Whether the viewer asked for the player's view since the window opened.
    package var sawRestore = false
    /// When a start counts as failed; nil while none is open or no stage is connected.
    package var startDeadline: Instant?
    /// Whether the page asked for the change under way and sees to its overlay by itself.
    package var isByPage = false
    /// Why a start may still happen that is over here, and is then to be stopped; nil when none may.
    package var lateStart: LateStart?
    /// The handlers by which the page asked for it so far.
    package var handlers: [String] = []

    /// Why a start is over before it happened.
    package enum LateStart: String, Sendable {
        /// Nobody wants it any more.
        case takenBack
        /// It was not acknowledged in time; if the device announces it yet, it counts.
        case expired
    }
}

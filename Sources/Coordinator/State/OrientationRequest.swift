/// What an unconfirmed `requestOrientation` is rolled back to (contract: domain, section 4.1).
package struct OrientationRequest: Sendable, Equatable {
    /// How the player was shown before the request, or what another rule has made of that since.
    package var mode: Presentation.Mode
    /// Whether the sensor was armed before the request.
    package var armed: Bool
    /// Whether it was asked for a second time already.
    package var isSecondTry = false
    /// When it counts as refused; nil while no stage is connected.
    package var deadline: Instant?
}

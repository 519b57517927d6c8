/// What the rules must remember beside the state; durable and never published (contract: domain,
/// section 2.1).
package struct SessionMemory: Sendable, Equatable {
    /// How the page is used.
    package var options = LoadOptions()
    /// The content as it was sent, secrets included.
    package var content: Secret<JSONObject>?
    /// The digest of the page that was loaded last.
    package var pageDigest: [UInt8]?
    /// The address that the page opened instead of its own; nil while that is shown.
    package var followed: Secret<String>?
    /// Times of the web process's deaths in the last minute.
    package var pageDeaths: [Instant] = []
    /// Whether the page was closed before it was ready, so that its ready message closes it.
    package var remembersClose = false
    /// Where the app is; nil until reported.
    package var lifecycle: DeviceFact.Lifecycle?
    /// The interface side of the last landscape the device was held in.
    package var lastLandscape: InterfaceOrientation?
    /// Whether the device was ever held in portrait or landscape.
    package var sawOrientation = false
    /// The request for an orientation that is open; nil when none is.
    package var orientationRequest: OrientationRequest?
    /// What is remembered of picture-in-picture.
    package var pip = PictureInPictureMemory()
    /// The device that the facts and the outbox belong to.
    package var stageDevice: String?
    /// Whether the stage was taken from that device, so that whoever attaches next starts afresh.
    package var isStageTaken = false
    /// When a disconnected stage becomes free; nil while it is connected or free.
    package var stageGraceEnds: Instant?
    /// Placements, oldest first.
    package var placements: [PlacementRecord] = []
    /// Effects that the stage has not acknowledged.
    package var outbox = Outbox()

    /// The memory of a new session.
    package init() {}

    /// Takes over the placements of a deleted session; their slip is not this one's.
    ///
    /// No deadline runs for them any more, so one that was under way is unknown until it is settled.
    mutating func inherit(_ placements: [PlacementRecord]) {
        self.placements = placements.map { record in
            var record = record
            record.slipRevision = nil
            record.state.outcome = record.state.outcome ?? .unknown
            return record
        }
    }
}

/// A placement from the wish to its outcome, remembered for 24 h (contract: domain, section 4.4).
package struct PlacementRecord: Sendable, Equatable {
    /// Higher than that of every older placement of the session: their order, however they are kept.
    package var number: UInt64
    /// The command as it came first.
    package var command: BetslipCommand.Place
    /// The slip's revision that was placed.
    ///
    /// Nil when it was placed in an earlier session of this id, whose slip is gone.
    package var slipRevision: UInt64?
    /// Id, outcome, reason, stake and who placed it.
    package var state: PlacementState
    /// When it was placed.
    package var placedAt: Instant
    /// When it is unknown without an outcome.
    package var deadline: Instant
    /// The stage device that was told to place it; it is never told again.
    package var offeredTo: String?
}

/// A value that no description, mirror or log shows.
package struct Secret<Value: Sendable & Equatable>: Sendable, Equatable, CustomStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Hides a value.
    package init(_ value: Value) {
        self.value = value
    }

    /// Lends the value on purpose.
    package func reveal<Result>(_ body: (Value) -> Result) -> Result {
        body(value)
    }

    /// Always the same text.
    package var description: String { "<secret>" }

    /// Nothing to look into.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

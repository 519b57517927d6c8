import Coordinator

/// A device of a transcript and its connection.
final class WireDevice {
    /// What tells connections apart: a role belongs to a connection.
    struct Key: Hashable {
        var device: String
        var isObserver: Bool

        /// The connection that makes a step; one that names no device is made by the stage.
        init(_ step: TranscriptStep, stage: String? = nil) {
            device = step.device ?? stage ?? ""
            isObserver = step.role == .observer
        }
    }

    /// The connection.
    let link: any Link
    /// Whether it subscribed to the stage and still has it.
    var holdsStage = false

    init(link: any Link) {
        self.link = link
    }
}

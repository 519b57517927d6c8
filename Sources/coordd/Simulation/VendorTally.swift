/// What a simulation counts of one vendor's sessions.
package struct VendorTally: Sendable, Equatable {
    /// Sessions played.
    package var sessions = 0
    /// Events sent by phones and mirrors.
    package var events = 0
    /// Effects acknowledged as done.
    package var done = 0
    /// Effects acknowledged as failed, as an operating system refuses them.
    package var refused = 0
    /// Warnings that came with revisions and signals, by code.
    package var warnings: [String: Int] = [:]
    /// How often a second phone took the stage.
    package var takeOvers = 0
    /// Scenes played, by name.
    package var scenes: [String: Int] = [:]

    /// Counts that are all zero.
    package init() {}
}

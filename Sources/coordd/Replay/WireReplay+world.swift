package import Coordinator

extension WireReplay {
    /// What it needs from the outside.
    package struct World {
        /// Opens a connection of a device.
        package var dial: (_ device: String, _ handler: @escaping (LinkEvent) -> Void) -> any Link
        /// Does something after so many milliseconds, in place of what was to be done before.
        package var schedule: (_ milliseconds: UInt64, _ work: @escaping () -> Void) -> Void
        /// Microseconds of a clock that no adjustment moves.
        package var now: () -> UInt64
        /// Tells what happens around it.
        package var note: (String) -> Void
        /// The device id of the connection that watches.
        package var watcher: String

        /// A world.
        package init(
            dial: @escaping (String, @escaping (LinkEvent) -> Void) -> any Link,
            schedule: @escaping (UInt64, @escaping () -> Void) -> Void,
            now: @escaping () -> UInt64, note: @escaping (String) -> Void, watcher: String
        ) {
            self.dial = dial
            self.schedule = schedule
            self.now = now
            self.note = note
            self.watcher = watcher
        }
    }

    /// How it ended.
    package struct End: Sendable, Equatable {
        /// The newest revision.
        package var revision: UInt64
        /// The state; nil when the end was not reached.
        package var state: JSON?
        /// Why the end was not reached.
        package var failure: String?
    }
}

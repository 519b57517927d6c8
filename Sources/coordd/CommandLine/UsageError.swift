/// A command line that makes no sense, in words that name the culprit.
package struct UsageError: Error, Sendable, Equatable {
    /// The command it was meant for; nil when that is not known.
    package var command: String?
    /// What was found and what is allowed.
    package var message: String

    /// A problem of the command named, or of the command line as a whole.
    package init(command: String? = nil, _ message: String) {
        self.command = command
        self.message = message
    }
}

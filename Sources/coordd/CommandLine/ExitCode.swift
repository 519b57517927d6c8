/// How the process ends (contract: protocol, Command line).
package enum ExitCode: Int32, Sendable {
    /// The work is done.
    case done = 0
    /// The work failed.
    case failed = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// Ctrl-C.
    case interrupted = 130
}

/// How much a log line matters (contract: protocol, Configuration, `log.level`).
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    /// For those who look for a fault in coordd.
    case debug
    /// What happened in normal operation.
    case info
    /// Something is not as it should be; coordd goes on.
    case warning
    /// Something failed.
    case error

    /// A level that matters less sorts first.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

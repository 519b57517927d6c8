internal import Coordinator
internal import TLS

/// What is counted while the daemon runs; plain numbers in places known beforehand.
struct MetricValues: Sendable, Equatable {
    /// The numbers of errors that have a counter of their own; all others share the last one.
    static let errorCodes = ReplyError.codes
    /// The numbers of disconnects that have a counter of their own; all others share the last one.
    static let disconnectCodes = Disconnect.codes
    /// Classes of HTTP statuses, from 2xx on.
    static let statusClasses = 2...5

    var accepted: UInt64 = 0
    var refusedConnections: UInt64 = 0
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
    /// By event type, and within it by ending.
    var events = [UInt64](
        repeating: 0, count: EventKind.allCases.count * EventReport.Ending.allCases.count)
    var tracking = NamedCounts()
    var unhandledMessages: UInt64 = 0
    var publications: UInt64 = 0
    var deliveries: UInt64 = 0
    var errors = [UInt64](repeating: 0, count: errorCodes.count + 1)
    var disconnects = [UInt64](repeating: 0, count: disconnectCodes.count + 1)
    var slowReaders: UInt64 = 0
    var recovered: UInt64 = 0
    var notRecovered: UInt64 = 0
    var publishLatency = Histogram()
    var commitLatency = Histogram()
    var pendingCommits = 0
    var failedCommits: UInt64 = 0
    var sessionsSetAside: UInt64 = 0
    var sessionsRenewed: UInt64 = 0
    /// Two for each version: whole handshakes, and sessions taken up again.
    var tlsHandshakes = [UInt64](repeating: 0, count: 2 * TLSVersion.allCases.count)
    var tlsFailures = [UInt64](repeating: 0, count: TLSFailure.allCases.count)
    /// TLS handshakes that came where no TLS is spoken, and other first bytes that are no carrier's.
    var misplacedTLS: UInt64 = 0
    var unknownCarriers: UInt64 = 0
    var responses = [UInt64](repeating: 0, count: statusClasses.count)

    /// The place of a pair among `events`.
    static func place(_ kind: EventKind, _ ending: EventReport.Ending) -> Int {
        kind.rawValue * EventReport.Ending.allCases.count + ending.rawValue
    }

    mutating func failed(_ code: UInt32) {
        errors[Self.errorCodes.firstIndex(of: code) ?? Self.errorCodes.count] &+= 1
    }

    mutating func disconnected(_ code: UInt32) {
        disconnects[Self.disconnectCodes.firstIndex(of: code) ?? Self.disconnectCodes.count] &+= 1
    }
}

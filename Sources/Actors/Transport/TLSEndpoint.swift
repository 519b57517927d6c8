package import Coordinator
internal import TLS

/// What all TLS connections of a process share: the certificate in use, and the keys of tickets.
package final class TLSEndpoint: Sendable {
    private struct State {
        var context: TLSContext
        var renewsTickets: Instant
    }

    private let files: TLSFiles
    private let state: Locked<State>

    /// Seconds between two keys of session tickets.
    static let ticketKeySeconds: Int64 = 43_200

    /// Reads the files.
    ///
    /// - Throws: ``TLSFiles/Problem``.
    package init(_ files: TLSFiles, at now: Instant) throws(TLSFiles.Problem) {
        self.files = files
        state = Locked(try Self.state(files, now))
    }

    /// Reads the files anew: connections that come from then on get what they hold, those that are open
    /// keep what they have.
    ///
    /// - Throws: ``TLSFiles/Problem``; the certificate in use stays then.
    package func reload(at now: Instant) throws(TLSFiles.Problem) {
        let read = try Self.state(files, now)
        state.withLock { $0 = read }
    }

    private static func state(_ files: TLSFiles, _ now: Instant) throws(TLSFiles.Problem) -> State {
        State(
            context: try files.load(),
            renewsTickets: now.advanced(bySeconds: Self.ticketKeySeconds))
    }

    private var certificate: TLSCertificate? { state.withLock { $0.context.certificate } }

    /// When the certificate, or one of its chain, ends.
    package var validUntil: Instant {
        Instant(milliseconds: (certificate?.validUntil ?? 0) * 1000)
    }

    /// Tells what certificate is in use, and warns of one that is not valid.
    package func describe(to log: Log, at now: Instant) {
        guard let certificate else { return }
        let from = Instant(milliseconds: certificate.validFrom * 1000)
        let fields: Log.Fields = [
            "file": .string(files.certificate), "subject": .string(certificate.subject),
            "certificates": .integer(certificate.count),
            "from": .string(CivilTime(from).text), "until": .string(CivilTime(validUntil).text),
        ]
        if validUntil < now {
            log.warning("the TLS certificate has expired", fields)
        } else if from > now {
            log.warning("the TLS certificate is not valid yet", fields)
        } else {
            log.info("TLS certificate", fields)
        }
    }

    /// Puts TLS around a connection that has just been accepted; `buffers` are its loop's.
    func wrap(
        _ stream: any ByteStream, on loop: any EventLoop, with buffers: TLSBuffers,
        report: @escaping (TLSStream.Report) -> Void
    ) -> TLSStream {
        let context = context(at: loop.now)
        return TLSStream(over: stream, on: loop, report: report) { () throws(TLSFault) in
            try TLSEngine(server: context, buffers: buffers)
        }
    }

    /// The context for one more connection.
    private func context(at now: Instant) -> TLSContext {
        state.withLock { state in
            if state.renewsTickets <= now {
                state.context = state.context.renewed()
                state.renewsTickets = now.advanced(bySeconds: Self.ticketKeySeconds)
            }
            return state.context
        }
    }
}

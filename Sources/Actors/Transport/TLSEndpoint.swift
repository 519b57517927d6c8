package import Coordinator
internal import TLS

/// What all TLS connections of a server share: the certificate in use, and memory.
///
/// Confined to the server's loop.
package final class TLSEndpoint {
    private let files: TLSFiles
    private var context: TLSContext
    private let buffers = TLSBuffers()
    private var renewsTickets: Instant

    /// Seconds between two keys of session tickets.
    static let ticketKeySeconds: Int64 = 43_200

    /// Reads the files.
    ///
    /// - Throws: ``TLSFiles/Problem``.
    package init(_ files: TLSFiles, at now: Instant) throws(TLSFiles.Problem) {
        self.files = files
        context = try files.load()
        renewsTickets = now.advanced(bySeconds: Self.ticketKeySeconds)
    }

    /// Reads the files anew: connections that come from then on get what they hold, those that are open
    /// keep what they have.
    ///
    /// - Throws: ``TLSFiles/Problem``; the certificate in use stays then.
    package func reload(at now: Instant) throws(TLSFiles.Problem) {
        context = try files.load()
        renewsTickets = now.advanced(bySeconds: Self.ticketKeySeconds)
    }

    /// When the certificate, or one of its chain, ends.
    package var validUntil: Instant {
        Instant(milliseconds: (context.certificate?.validUntil ?? 0) * 1000)
    }

    /// Tells what certificate is in use, and warns of one that is not valid.
    package func describe(to log: Log, at now: Instant) {
        guard let certificate = context.certificate else { return }
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

    /// Puts TLS around a connection that has just been accepted.
    func wrap(
        _ stream: any ByteStream, on loop: any EventLoop,
        report: @escaping (TLSStream.Report) -> Void
    ) -> TLSStream {
        let now = loop.now
        if renewsTickets <= now {
            context.renewTicketKeys()
            renewsTickets = now.advanced(bySeconds: Self.ticketKeySeconds)
        }
        let (context, buffers) = (self.context, self.buffers)
        return TLSStream(over: stream, on: loop, report: report) { () throws(TLSFault) in
            try TLSEngine(server: context, buffers: buffers)
        }
    }
}

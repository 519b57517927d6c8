internal import Coordinator

extension Server {
    /// A connection under TLS, whose handshake is counted.
    func secured(_ stream: any ByteStream, by endpoint: TLSEndpoint) -> any ByteStream {
        endpoint.wrap(
            stream, on: loop, with: state.withValue { $0.buffers }, report: tlsReporter)
    }

    /// Counts what is worth counting of a TLS connection.
    var tlsReporter: (TLSStream.Report) -> Void {
        { [weak self] report in
            guard let self else { return }
            switch report {
            case .established(let version, let isResumed):
                metrics.tlsEstablished(version, isResumed: isResumed)
            case .failed(let failure, let words):
                metrics.tlsFailed(failure)
                log.debug("TLS ended", ["detail": .string(words)])
            }
        }
    }
}

import TLS
import TestSupport

/// Both sides of one TLS connection in memory, and the bytes between them.
final class EnginePair {
    let client: TLSEngine
    let server: TLSEngine
    /// What each side got in the end.
    var clientGot: [UInt8] = []
    var serverGot: [UInt8] = []
    /// The most bytes that are handed over at once.
    var chunkBytes = Int.max
    /// Changes what the client says on its way, given how many bytes went before.
    var onTheWay: ([UInt8], Int) -> [UInt8] = { bytes, _ in bytes }
    /// Bytes that went from the client to the server.
    private(set) var clientBytes = 0

    init(
        server: TLSContext? = nil, client: TLSContext? = nil, host: String = "localhost",
        applicationProtocol: String? = nil, buffers: TLSBuffers = TLSBuffers()
    ) throws {
        self.server = try TLSEngine(
            server: try server
                ?? TLSContext(
                    certificate: Array(TestCertificates.chain.utf8),
                    key: Array(TestCertificates.key.utf8)),
            buffers: buffers)
        self.client = try TLSEngine(
            client: try client ?? RawClient.trust(), expecting: host, buffers: TLSBuffers(),
            applicationProtocol: applicationProtocol)
    }

    /// Hands over what is to be sent, both ways, until nobody says anything.
    func exchange() throws(TLSFault) {
        while true {
            let toServer = client.buffers.takeOutput()
            if !toServer.isEmpty {
                let changed = onTheWay(toServer, clientBytes)
                clientBytes += toServer.count
                try feed(changed, to: server, &serverGot)
            }
            let toClient = server.buffers.takeOutput()
            if !toClient.isEmpty { try feed(toClient, to: client, &clientGot) }
            if toServer.isEmpty, toClient.isEmpty { return }
        }
    }

    private func feed(
        _ bytes: [UInt8], to engine: TLSEngine, _ got: inout [UInt8]
    ) throws(TLSFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(chunkBytes))
            rest = rest.dropFirst(chunk.count)
            var position = 0
            var isTaken = false
            while !isTaken {
                switch try engine.next(in: chunk.span, at: &position) {
                case .needsMore: isTaken = true
                case .plaintext(let count): got += engine.buffers.plaintext[..<count]
                case .established, .end: break
                }
            }
            precondition(position == chunk.count, "ciphertext was left")
        }
    }
}

internal import TLS

/// Whom a client trusts, and which name it expects in the server's certificate.
package struct TLSTrust: Sendable, Equatable {
    private let context: TLSContext
    private let name: String
    /// The longest file of trusted certificates, in bytes: a system's has some 200 KiB.
    private static let maximumBytes = 1 << 20

    /// Trusts the certificates in a PEM file, or those of the system without one; `name` is a host's name
    /// or a numeric address.
    ///
    /// - Throws: ``TLSFiles/Problem`` naming the file.
    package init(authorities file: String?, expecting name: String) throws(TLSFiles.Problem) {
        self.name = name
        let words: String
        do throws(FileText.Failure) {
            let bytes = try file.map { file throws(FileText.Failure) in
                try FileText.read(file, limit: Self.maximumBytes)
            }
            do throws(TLSIdentityFault) {
                context = try TLSContext(trusting: bytes)
                return
            } catch {
                words = error.description
            }
        } catch {
            words = "it cannot be read: \(error.reason)"
        }
        throw TLSFiles.Problem(isAboutKey: false, description: "\(file ?? "the system"): \(words)")
    }

    /// Puts TLS around a connection that stands.
    package func wrap(_ stream: UVStream) -> TLSStream {
        let (context, name) = (self.context, self.name)
        return TLSStream(over: stream, on: stream.loop) { () throws(TLSFault) in
            try TLSEngine(client: context, expecting: name, buffers: TLSBuffers())
        }
    }

    /// The same certificates, read at the same time, and the same name.
    package static func == (left: TLSTrust, right: TLSTrust) -> Bool {
        left.context === right.context && left.name == right.name
    }
}

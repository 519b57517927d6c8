package import TLS

/// Where a server's certificate chain and private key are.
package struct TLSFiles: Sendable, Equatable {
    /// Reads a small file.
    package typealias Reader = (String) -> Result<[UInt8], FileText.Failure>

    /// Why they cannot be used.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// Whether the key's file is to blame, and not the certificate's.
        package var isAboutKey: Bool
        /// The file and what is wrong with it.
        package var description: String
    }

    /// The path of the chain, in PEM: the server's certificate first.
    package var certificate: String
    /// The path of the key, in PEM.
    package var key: String

    /// The longest file, in bytes.
    ///
    /// A chain of some certificates is a tenth of it, and clients take no more than 100 KiB.
    private static let maximumBytes = 65_536

    /// Two paths.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads both files and checks that they belong together.
    ///
    /// - Throws: ``Problem`` naming the file and what is wrong with it.
    package func load(reading read: Reader = TLSFiles.read) throws(Problem) -> TLSContext {
        let certificates = try bytes(of: certificate, isAboutKey: false, read)
        let keys = try bytes(of: key, isAboutKey: true, read)
        do throws(TLSIdentityFault) {
            return try TLSContext(certificate: certificates, key: keys)
        } catch {
            let file = error.isAboutKey ? key : certificate
            var words = error.description
            if error == .otherKey { words += " in \(certificate)" }
            throw Problem(isAboutKey: error.isAboutKey, description: "\(file): \(words)")
        }
    }

    private func bytes(
        of file: String, isAboutKey: Bool, _ read: Reader
    ) throws(Problem) -> [UInt8] {
        do throws(FileText.Failure) {
            return try read(file).get()
        } catch {
            throw Problem(
                isAboutKey: isAboutKey, description: "\(file) cannot be read: \(error.reason)")
        }
    }

    /// Reads from the file system, and only what cannot keep the loop waiting.
    package static func read(_ path: String) -> Result<[UInt8], FileText.Failure> {
        Result { () throws(FileText.Failure) in
            try FileText.read(path, limit: maximumBytes, waits: false)
        }
    }
}

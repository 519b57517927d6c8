import Glibc

/// Small files read at once.
package enum FileText {
    /// A file operation that failed.
    package struct Failure: Error, CustomStringConvertible {
        /// The file.
        package var path: String
        /// The system's number.
        package var code: Int32

        /// The file and the system's words.
        package var description: String { "\(path): \(FileText.message(code))" }
    }

    /// The most that is read, in bytes.
    private static let maximumBytes = 1 << 20

    /// The text of a file of at most 1 MiB; what follows is left out.
    ///
    /// - Throws: ``Failure`` when it cannot be opened or read.
    package static func read(_ path: String) throws(Failure) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < maximumBytes {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(path: path, code: errno) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The system's words for an error number.
    package static func message(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}

import Glibc

/// Standard output or standard error, written without buffers.
package struct StandardStream: Sendable {
    /// The file descriptor.
    private let descriptor: CInt

    /// File descriptor 1.
    package static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// File descriptor 2.
    package static let error = StandardStream(descriptor: STDERR_FILENO)

    /// Whether a person is likely to read along.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all of `bytes`, waiting while the reader is slow.
    ///
    /// - Returns: Whether everything was written; a reader that went away is no reason to stop.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                let rest = buffer.extracting(written...)
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}

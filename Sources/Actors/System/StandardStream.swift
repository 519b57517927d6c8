import Glibc

/// Standard output or standard error, written without buffers.
package struct StandardStream: Sendable {
    /// The file descriptor.
    private let descriptor: CInt
    /// What it is called.
    private let name: String

    /// File descriptor 1.
    package static let output = StandardStream(
        descriptor: STDOUT_FILENO, name: "standard output")
    /// File descriptor 2.
    package static let error = StandardStream(descriptor: STDERR_FILENO, name: "standard error")

    /// Puts something in the place of each standard stream that the process was started without.
    ///
    /// Otherwise a database or a socket would get that number, and be written by who means the
    /// stream. What is there is of no use, so that reading and writing fail as they should. To be
    /// called before anything is opened.
    package static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a person is likely to read along.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all of `bytes`, waiting while the reader is slow.
    ///
    /// - Returns: Why not everything was written, such as a reader that went away; else nil.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> SystemFault? {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                let rest = buffer.extracting(written...)
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    // Whoever shares it asked not to wait; this one has to.
                    var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&stream, 1, -1)
                } else if errno != EINTR {
                    return SystemFault("write \(name)")
                }
            }
            return nil
        }
    }
}

import Glibc

/// Small files, read whole.
package enum FileText {
    /// Why a file could not be read.
    package struct Failure: Error, Sendable, Equatable {
        /// The system's words, such as "No such file or directory".
        package var reason: String

        /// A failure in the system's words.
        package init(reason: String) {
            self.reason = reason
        }
    }

    /// The bytes of the file at `path`.
    ///
    /// What can keep its reader waiting, such as a pipe, is refused unless `waits`.
    ///
    /// - Throws: ``Failure`` when it cannot be opened or read, is a folder or longer than `limit`
    ///   bytes.
    package static func read(
        _ path: String, limit: Int, waits: Bool = true
    ) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw Failure(reason: describe(errno)) }
        defer { close(descriptor) }
        if !waits {
            var facts = stat()
            guard unsafe fstat(descriptor, &facts) == 0 else {
                throw Failure(reason: describe(errno))
            }
            guard facts.st_mode & S_IFMT == S_IFREG || facts.st_mode & S_IFMT == S_IFDIR else {
                throw Failure(reason: "not a regular file")
            }
        }
        return try read(from: descriptor, limit: limit)
    }

    /// The bytes of standard input up to its end; waits while it brings nothing.
    ///
    /// Of the descriptor itself: a name such as `/dev/stdin` cannot be opened when it is a socket.
    ///
    /// - Throws: ``Failure`` when it cannot be read or is longer than `limit` bytes.
    package static func readStandardInput(limit: Int) throws(Failure) -> [UInt8] {
        try read(from: STDIN_FILENO, limit: limit)
    }

    private static func read(
        from descriptor: CInt, limit: Int
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(reason: describe(errno)) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw Failure(reason: "longer than \(limit) bytes")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// The words of an error number.
    static func describe(_ code: CInt) -> String {
        var text = [CChar](repeating: 0, count: 256)
        let known = unsafe text.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe strerror_r(code, base, buffer.count) == 0
        }
        guard known else { return "error \(code)" }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

internal import Glibc

/// A file that appears whole or not at all, for those who wait for it.
package enum ReadyFile {
    /// Why the file could not be written.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The step and the system's error number.
        package var description: String
    }

    /// Writes `text` and a line end beside `path`, then moves it there.
    ///
    /// - Throws: ``Failure`` naming the step.
    package static func write(_ text: String, to path: String) throws(Failure) {
        let draft = "\(path).\(getpid()).tmp"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("open", draft) }
        let bytes = Array("\(text)\n".utf8)
        let written = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        close(descriptor)
        guard written == bytes.count else {
            unsafe unlink(draft)
            throw failure("write", draft)
        }
        guard unsafe rename(draft, path) == 0 else {
            unsafe unlink(draft)
            throw failure("rename", path)
        }
    }

    private static func failure(_ step: String, _ path: String) -> Failure {
        Failure(description: "\(step) \(path): error \(errno)")
    }
}

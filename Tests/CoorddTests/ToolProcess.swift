import Foundation
import Glibc
import TestSupport

/// The program as a process of its own.
final class ToolProcess {
    private let process = Process()
    private let output: FileHandle
    private let error: FileHandle
    /// The other end of its standard input, which is a socket.
    private let input: FileHandle

    /// Where its standard output goes.
    enum Output {
        /// To the test.
        case pipe
        /// Where nothing has room.
        case full
        /// Nowhere: it is closed.
        case closed
    }

    /// Starts the program that was built beside the tests.
    ///
    /// With `descriptors` it may not open more than so many.
    init(_ arguments: [String], output place: Output = .pipe, descriptors: Int? = nil) throws {
        let (input, fromInput) = try Self.pair()
        self.input = input
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("coordd")
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = fromInput
        let (output, toOutput) = try Self.pair()
        let (error, toError) = try Self.pair()
        (self.output, self.error) = (output, error)
        process.standardOutput = toOutput
        switch place {
        case .pipe: break
        case .full:
            let full = FileHandle(forWritingAtPath: "/dev/full")
            guard let full else { throw RawClient.Failure.unexpected("no /dev/full") }
            process.standardOutput = full
        case .closed:
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", #"exec "$0" "$@" >&-"#, program.path] + arguments
        }
        if let descriptors {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", #"ulimit -n \#(descriptors); exec "$0" "$@""#, program.path] + arguments
        }
        process.standardError = toError
        try process.run()
        // The end of what it writes is seen when nobody else could.
        try toOutput.close()
        try toError.close()
    }

    /// Two ends that no process which another test starts meanwhile keeps open: sockets, since a pipe
    /// cannot be closed for children as it is made.
    private static func pair() throws -> (near: FileHandle, far: FileHandle) {
        var ends: [CInt] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw RawClient.Failure.unexpected("no socket pair")
        }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    /// Writes to its standard input and ends that.
    func finishInput(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
        try input.close()
    }

    /// Writes so much to its standard input that it has to have read some of it.
    func flood() throws {
        // More than the buffers of a socket take.
        try input.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: 8 << 20))
    }

    /// Waits for the first bytes on its standard output.
    func firstOutput() -> String {
        String(decoding: output.availableData, as: UTF8.self)
    }

    /// Waits until its standard error has a text; gives all of it up to there.
    func complaints(until text: String) throws -> String {
        var log = ""
        while !log.contains(text) {
            let more = firstComplaint()
            guard !more.isEmpty else { throw RawClient.Failure.ended }
            log += more
        }
        return log
    }

    /// Waits for the first bytes on its standard error.
    func firstComplaint() -> String {
        String(decoding: error.availableData, as: UTF8.self)
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() { process.interrupt() }

    /// Sends it a signal.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for its end; gives the exit code, or nil after a signal, and what was not read yet.
    func end() throws -> (code: Int32?, output: String, error: String) {
        let rest = try output.readToEnd() ?? Data()
        let complaints = try error.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationReason == .exit ? process.terminationStatus : nil,
            String(decoding: rest, as: UTF8.self), String(decoding: complaints, as: UTF8.self)
        )
    }
}

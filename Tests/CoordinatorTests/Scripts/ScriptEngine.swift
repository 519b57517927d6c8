import Coordinator
import Foundation
import Glibc

/// One node process for all tests: a page and what happens to it go in, what came of it out.
///
/// `page.js` says what both look like. The process ends with the tests, when its input does.
actor ScriptEngine {
    /// What node said is no answer.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static let shared = ScriptEngine()

    /// The path of node; nil when it is not installed.
    static let program: String? = {
        guard let path = unsafe getenv("PATH") else { return nil }
        return unsafe String(cString: path).split(separator: ":").map { "\($0)/node" }.first {
            unsafe access($0, X_OK) == 0
        }
    }()

    /// Seconds to wait for an answer, far more than `page.js` lets scripts run.
    private static let patience = 60

    private var socket: CInt?
    private var received: [UInt8] = []

    /// Plays one page, in a world of its own.
    func play(_ page: JSON) throws(Failure) -> JSON {
        let socket = if let socket = self.socket { socket } else { try start() }
        self.socket = socket
        try send(JSONWriter.bytes(of: page) + [0x0A], to: socket)
        let line = try line(from: socket)
        guard let document = try? JSONParser.parse(line.span, maximumDepth: 64),
            document.defects.isEmpty, document.root["results"] != nil
        else { throw Failure(description: String(decoding: line, as: UTF8.self)) }
        return document.root
    }

    private func start() throws(Failure) -> CInt {
        guard let program = Self.program else { throw Failure(description: "no node") }
        var ends: [CInt] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Failure(description: "no socket pair")
        }
        defer { close(ends[1]) }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        unsafe setsockopt(
            ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let script = RepositoryFile("Tests/CoordinatorTests/Scripts/page.js").url.path(
            percentEncoded: false)
        let arguments = ["node", script]
        var argumentPointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe argumentPointers.forEach { unsafe free($0) } }
        // Without an environment, so that no option of the caller's reaches node.
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var process: pid_t = 0
        let code = unsafe posix_spawn(
            &process, program, &actions, nil, &argumentPointers, &environment)
        guard code == 0 else {
            throw Failure(description: unsafe String(cString: strerror(code)))
        }
        return ends[0]
    }

    private func send(_ bytes: [UInt8], to socket: CInt) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "node takes nothing") }
            sent += count
        }
    }

    /// The next line; only LF ends one.
    private func line(from socket: CInt) throws(Failure) -> [UInt8] {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                return line
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure(description: "node says nothing") }
            received += buffer[..<count]
        }
    }
}

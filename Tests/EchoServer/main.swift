import Actors
import Glibc
import TestSupport

// The server with WebSockets that send back what they get, for suites that test the carrier alone.
// Prints its port, and ends when standard input does.
try await withServer {
    $0.server.echoes = true
} _: { server in
    let line = Array("\(server.port)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    var byte: UInt8 = 0
    while unsafe read(STDIN_FILENO, &byte, 1) > 0 {}
}

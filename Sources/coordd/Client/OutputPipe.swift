import Glibc

/// Whether anybody still reads what a tool prints.
enum OutputPipe {
    /// Standard output is a pipe or socket whose reader is gone, as after `coordd watch … | head`.
    static var isBroken: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard unsafe poll(&output, 1, 0) > 0 else { return false }
        return output.revents & Int16(POLLERR) != 0
    }
}

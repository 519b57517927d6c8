import Actors
import Glibc

/// Standard output, and whether it still takes what a tool prints.
enum OutputPipe {
    /// Why something that was printed did not get there, at first.
    private static let firstFault = Locked<SystemFault?>(nil)

    /// Prints text; what follows one that failed is dropped, as it would make no sense alone.
    static func write(_ text: String) {
        guard fault == nil, let fault = StandardStream.output.write(Array(text.utf8)) else {
            return
        }
        firstFault.withLock { $0 = $0 ?? fault }
    }

    /// Why not all that was printed got there; nil when it did.
    static var fault: SystemFault? { firstFault.withLock { $0 } }

    /// Printing failed, or standard output is a pipe or socket whose reader is gone, as after
    /// `coordd watch … | head`.
    static var isBroken: Bool {
        if fault != nil { return true }
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard unsafe poll(&output, 1, 0) > 0 else { return false }
        return output.revents & Int16(POLLERR) != 0
    }
}

import Actors
import Coordinator
import Dispatch
import Glibc

/// Standard input as events, one a line.
enum StandardInput {
    /// Lines that are read ahead of the answers.
    private static let maximumAhead = 256
    private static let maximumLine = 1 << 20

    /// Reads on a thread of its own, since reading blocks, and hands each line to the loop.
    static func read(to sender: Sender, on loop: UVEventLoop) {
        let target = LoopBound(sender, on: loop)
        // Raised from zero: a semaphore must not be freed below the value it was made with.
        let room = DispatchSemaphore(value: 0)
        for _ in 0..<maximumAhead { room.signal() }
        sender.onTaken = { room.signal() }
        DispatchQueue.global().async {
            // Its thread is not waited for: after an early end the process exits around it.
            readLines { item in
                room.wait()
                loop.execute { target.withValue { $0.add(item) } }
            }
        }
    }

    private static func readLines(_ give: (Sender.Item) -> Void) {
        var framer = LineFramer(maximumBytes: maximumLine)
        var number = 0
        var isReadable = true
        func take(_ bytes: Span<UInt8>) -> Bool {
            let fits = framer.consume(bytes) { line in
                number += 1
                guard let item = Sender.item(line, from: "standard input, line \(number)") else {
                    return true
                }
                give(item)
                if case .unreadable = item { isReadable = false }
                return isReadable
            }
            if !fits {
                give(.unreadable("standard input, line \(number + 1): too long"))
                isReadable = false
            }
            return isReadable
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while isReadable {
            let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            _ = take(buffer.span.extracting(0..<count))
        }
        // The last line may have no end.
        let end: [UInt8] = [UInt8(ascii: "\n")]
        if isReadable, take(end.span) { give(.end) }
    }
}

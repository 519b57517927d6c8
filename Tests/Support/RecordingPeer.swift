internal import Actors
package import Coordinator

/// A connection that writes down what sessions say to it, as lines of the wire.
package final class RecordingPeer: SessionPeer {
    package let number: UInt64
    package let encoding = WireEncoding.line
    private let lines = Locked<[String]>([])

    /// A connection of a number.
    package init(number: UInt64) {
        self.number = number
    }

    /// What it heard since the last look.
    package func heard() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    package func reply(to command: UInt32, _ body: Reply.Body) {
        write { JSONCodec.encode(Reply(id: command, body: body), into: &$0) }
    }

    package func send(_ bytes: [UInt8]) {
        write { $0 += bytes }
    }

    package func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe) {
        write {
            JSONCodec.encode(
                Push.unsubscribe(channel: channel.description, unsubscribe), into: &$0)
        }
    }

    package func disconnect(_ disconnect: Disconnect) {
        write { JSONCodec.encode(Push.disconnect(disconnect), into: &$0) }
    }

    private func write(_ encode: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        encode(&bytes)
        let line = String(decoding: bytes.dropLast(), as: UTF8.self)
        lines.withLock { $0.append(line) }
    }
}

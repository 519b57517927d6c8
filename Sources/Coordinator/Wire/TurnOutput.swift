/// What is published in one turn of an event loop, written once in each encoding that somebody reads.
///
/// Connections keep ranges of it until the turn ends, and nobody does longer: a reader that is too slow
/// for that gets a copy of its own. So no memory is shared that one connection could keep alive.
package struct TurnOutput: Sendable {
    /// A place in the bytes of one encoding.
    package struct Piece: Sendable, Equatable {
        /// The encoding.
        package let encoding: WireEncoding
        /// Which bytes.
        package let range: Range<Int>
    }

    /// Bytes of memory that an encoding keeps for the next turn.
    package static let keptBytes = 1 << 20

    private var line: [UInt8] = []
    private var webSocketJSON: [UInt8] = []
    private var webSocketProtobuf: [UInt8] = []

    /// Nothing yet.
    package init() {}

    /// Writes a push behind what there is in an encoding.
    package mutating func add(_ push: Push, in encoding: WireEncoding) -> Piece {
        switch encoding {
        case .line: Self.add(push, in: encoding, to: &line)
        case .webSocketJSON: Self.add(push, in: encoding, to: &webSocketJSON)
        case .webSocketProtobuf: Self.add(push, in: encoding, to: &webSocketProtobuf)
        }
    }

    private static func add(
        _ push: Push, in encoding: WireEncoding, to bytes: inout [UInt8]
    ) -> Piece {
        let start = bytes.count
        encoding.encode(push, into: &bytes)
        return Piece(encoding: encoding, range: start..<bytes.count)
    }

    /// All bytes of an encoding.
    package subscript(encoding: WireEncoding) -> [UInt8] {
        switch encoding {
        case .line: line
        case .webSocketJSON: webSocketJSON
        case .webSocketProtobuf: webSocketProtobuf
        }
    }

    /// The bytes of a piece alone.
    package subscript(piece: Piece) -> ArraySlice<UInt8> { self[piece.encoding][piece.range] }

    /// Forgets everything, for the next turn; memory of a turn that had much more to say is freed.
    package mutating func clear() {
        Self.clear(&line)
        Self.clear(&webSocketJSON)
        Self.clear(&webSocketProtobuf)
    }

    private static func clear(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes.removeAll(keepingCapacity: bytes.capacity <= keptBytes)
    }
}

/// Cuts a binary message into the Protobuf messages in it, each behind its length (protocol facts:
/// Centrifugal, Protobuf encoding).
package struct ProtobufFrame {
    /// Bytes before the message that comes next.
    package private(set) var position = 0

    /// The beginning of a frame.
    package init() {}

    /// Where the next message lies; nil at the end.
    ///
    /// - Throws: ``CommandFault`` when a length does not fit.
    package mutating func next(in bytes: Span<UInt8>) throws(CommandFault) -> Range<Int>? {
        guard position < bytes.count else { return nil }
        do throws(ProtobufFault) {
            let count = try ProtobufFields.varint(in: bytes, at: &position)
            guard count <= UInt64(bytes.count - position) else {
                throw ProtobufFault("a message is longer than its frame")
            }
            let range = position..<position + Int(count)
            position = range.upperBound
            return range
        } catch {
            throw .disconnect(.badRequest, detail: error.detail)
        }
    }
}

/// A client's bytes, both ways, and the end of them; a TCP connection is one.
///
/// Confined to its loop. Whoever has one must close it, also after its end or an error. Completions
/// are called exactly once and never within the call that takes them.
package protocol ByteStream: AnyObject {
    /// The other side's address; nil when it has none.
    var peerAddress: SocketAddress? { get }

    /// Whether the bytes are protected on their way.
    var isTLS: Bool { get }

    /// Calls `onRead` for what arrives, until `stopReading`, `close` or the stream's end.
    func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void)

    /// Leaves what arrives where it is, which in time holds up the other side.
    func stopReading()

    /// Writes what is taken at once and queues nothing; gives the number of bytes, which may be 0.
    ///
    /// What is written next are the bytes behind these.
    ///
    /// - Throws: ``UVError`` when the stream is of no use for writing.
    func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int

    /// The same for two runs of bytes, one behind the other.
    func tryWrite(_ first: Span<UInt8>, _ second: Span<UInt8>) throws(UVError) -> Int

    /// Writes `bytes` from index `start` on, behind all earlier writes; `completion` is told when
    /// the last byte was taken, or why not.
    func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void)

    /// Tells the other side, after all queued writes, that no more will come.
    func shutdown(_ completion: @escaping (UVError?) -> Void)

    /// Ends the stream; what was written is still on its way.
    func close(_ onClosed: (() -> Void)?)

    /// Ends the stream and drops what is queued; the other side sees an error.
    func reset(_ onClosed: (() -> Void)?)

    /// Ends the stream on this loop alone and gives it for another one; nil when it has to stay,
    /// for instance while bytes wait to be written.
    func detach() -> DetachedStream?
}

extension ByteStream {
    /// Nothing protects the bytes.
    package var isTLS: Bool { false }

    /// Puts them together, unless one of them is empty.
    package func tryWrite(
        _ first: Span<UInt8>, _ second: Span<UInt8>
    ) throws(UVError) -> Int {
        if second.isEmpty { return try tryWrite(first) }
        if first.isEmpty { return try tryWrite(second) }
        var whole: [UInt8] = []
        whole.reserveCapacity(first.count + second.count)
        whole.append(lent: first)
        whole.append(lent: second)
        return try tryWrite(whole.span)
    }

    /// It belongs where it is.
    package func detach() -> DetachedStream? { nil }
}

extension UVStream: ByteStream {}

extension [UInt8] {
    /// Adds bytes that are only lent.
    mutating func append(lent bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

internal import Glibc
internal import TLS

/// A connected socket that belongs to no loop: it was just accepted, or it moves to another loop.
///
/// Dropping it closes the socket, so that it is not lost with a message that nobody reads.
@safe package final class DetachedStream: Sendable {
    /// What TLS knows of a connection whose handshake is done.
    struct Secured {
        var engine: TLSEngine
        /// Ciphertext that nobody has read.
        var backlog: [UInt8]
    }

    /// The other side's address.
    let peer: SocketAddress?
    /// -1 once it was taken.
    private let descriptor: Locked<Int32>
    // Set by the loop that lets go of the stream, before anybody else can have it, and taken by the one
    // that goes on with it: the mail between them puts the two in order.
    private nonisolated(unsafe) var secured: Secured?

    /// Takes over a connected, non-blocking socket.
    init(descriptor: Int32, from peer: SocketAddress?) {
        self.peer = peer
        self.descriptor = Locked(descriptor)
    }

    deinit {
        let left = descriptor.withLock { $0 }
        if left >= 0 { Glibc.close(left) }
    }

    /// Adds what TLS knows; the engine must not be used here any more.
    func secure(_ part: Secured) {
        unsafe secured = part
    }

    /// What TLS knows of it; once, for the loop that goes on with it.
    func takeSecured() -> Secured? {
        defer { unsafe secured = nil }
        return unsafe secured
    }

    /// Makes it a stream of a loop, once; on that loop.
    ///
    /// - Throws: ``UVError`` when libuv does not take it, and the socket is closed then.
    func open(on loop: UVEventLoop) throws(UVError) -> UVStream {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard taken >= 0 else { throw .cancelled("open a connection") }
        do throws(UVError) {
            return try UVStream(on: loop, adopting: taken, from: peer)
        } catch {
            Glibc.close(taken)
            throw error
        }
    }
}

extension UVStream {
    /// Ends the stream here and gives its socket for another loop; nil when that is not possible now.
    ///
    /// Libuv cannot move a handle, so the other loop gets a copy of the descriptor.
    package func detach() -> DetachedStream? {
        guard !isClosing, queuedBytes == 0, let copy = copyDescriptor() else { return nil }
        let detached = DetachedStream(descriptor: copy, from: peerAddress)
        close()
        return detached
    }
}

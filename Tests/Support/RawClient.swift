package import Coordinator
import Glibc
package import TLS

/// A client on a blocking socket that sends whatever a test wants and reads line by line.
///
/// Used on one thread. The receive timeout is only a bound for failing tests.
package final class RawClient {
    /// Why nothing could be read.
    package enum Failure: Error, Equatable {
        /// The server has closed its side.
        case ended
        /// The connection was reset.
        case reset
        /// Nothing came within the bound.
        case silent
        /// A system call failed.
        case system(call: String, errno: Int32)
        /// Something else came than the test waited for.
        case unexpected(String)
    }

    /// Seconds after which a read fails a test.
    private static let patienceSeconds = 30

    private let descriptor: Int32
    private var isOpen = true
    private var buffer: [UInt8] = []
    private var start = 0
    /// Made for the first read: some tests have very many clients.
    private var chunk: [UInt8] = []
    private var lastID: UInt32 = 0
    /// TLS over the socket, if there is any.
    private var engine: TLSEngine?
    /// Messages that were read while another one was waited for, in order.
    private var waiting: [JSONCodec.ServerMessage] = []

    /// Connects to a port of this machine, from `127.0.0.<host>`; `receiveBytes` makes the kernel's
    /// buffer small.
    ///
    /// - Throws: ``Failure``.
    package init(port: UInt16, host: UInt32 = 1, receiveBytes: Int32? = nil) throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        if let receiveBytes { setOption(SOL_SOCKET, SO_RCVBUF, receiveBytes) }
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        setOption(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: Self.patienceSeconds, tv_usec: 0))
        try unsafe withAddress(host: host, port: 0, "bind") { unsafe bind(descriptor, $0, $1) }
        try unsafe withAddress(host: 1, port: port, "connect") {
            unsafe connect(descriptor, $0, $1)
        }
    }

    deinit { close() }

    /// Goes on under TLS, as soon as the handshake is done.
    ///
    /// - Throws: ``Failure``; a fault of TLS is unexpected.
    package func secure(
        trusting context: TLSContext? = nil, expecting host: String = "localhost"
    ) throws(Failure) {
        do throws(TLSFault) {
            let trusted: TLSContext
            if let context { trusted = context } else { trusted = try Self.trust() }
            let engine = try TLSEngine(client: trusted, expecting: host, buffers: TLSBuffers())
            self.engine = engine
            sendOutput(of: engine)
        } catch {
            throw .unexpected(error.description)
        }
        while engine?.phase == .handshaking { _ = try receive(waits: true) }
    }

    /// Trusts the root of the tests' certificates.
    package static func trust() throws(TLSFault) -> TLSContext {
        do throws(TLSIdentityFault) {
            return try TLSContext(trusting: Array(TestCertificates.root.utf8))
        } catch {
            throw .certificate(error.description)
        }
    }

    /// What TLS has agreed on; nil without it.
    package var version: TLSVersion? { engine?.version }

    /// Whom the server's certificate is for; nil without TLS.
    package var certificateSubject: String? { engine?.peerSubject }

    /// Says TLS's end and nothing else; what the server still says can be read.
    package func sayEnd() {
        guard let engine else { return }
        engine.sayEnd()
        sendOutput(of: engine)
    }

    private func sendOutput(of engine: TLSEngine) {
        sendRaw(engine.buffers.takeOutput())
    }

    /// Closes the socket.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Closes the socket with a reset.
    package func abort() {
        setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// Sends nothing more; what the server still says can be read.
    package func endSending() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    private func withAddress(
        host: UInt32, port: UInt16, _ call: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Failure) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 + host).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw .system(call: call, errno: errno) }
    }

    private func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
        unsafe withUnsafeBytes(of: value) { bytes in
            let status = unsafe setsockopt(
                descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
            precondition(status == 0, "setsockopt failed")
        }
    }
}

// MARK: - Bytes

extension RawClient {
    /// Sends bytes; a connection that the server has ended swallows them.
    package func send(bytes: [UInt8]) {
        guard let engine else { return sendRaw(bytes) }
        guard (try? engine.encrypt(bytes.span)) != nil else { return }
        sendOutput(of: engine)
    }

    /// Sends bytes as they are, also when there is TLS.
    package func sendRaw(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { pointer in
                unsafe Glibc.send(
                    descriptor, pointer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends a line.
    package func send(_ line: String) {
        send(bytes: Array((line + "\n").utf8))
    }

    /// Reads the next line, without its end.
    ///
    /// - Throws: ``Failure``; bytes without a line end before the server's end are dropped.
    package func lineBytes() throws(Failure) -> [UInt8] {
        while true {
            if let line = takeLine() { return line }
            _ = try receive(waits: true)
        }
    }

    /// Reads the next line as text.
    ///
    /// - Throws: ``Failure``.
    package func line() throws(Failure) -> String {
        String(decoding: try lineBytes(), as: UTF8.self)
    }

    /// Reads so many bytes.
    ///
    /// - Throws: ``Failure``.
    package func bytes(_ count: Int) throws(Failure) -> [UInt8] {
        while buffer.count - start < count { _ = try receive(waits: true) }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    /// Reads what the kernel has now, without waiting; false when the server has ended.
    package func drain() -> Bool {
        do throws(Failure) {
            while try receive(waits: false) {}
            return true
        } catch {
            return false
        }
    }

    /// Reads all lines until the server closes; what it says last may be no whole line.
    package func rest() -> (lines: [String], end: Failure) {
        var lines: [String] = []
        do throws(Failure) {
            while true { lines.append(try line()) }
        } catch {
            return (lines, error)
        }
    }

    /// A line that was read already.
    package func takeLine() -> [UInt8]? {
        let begin = start
        let end = unsafe buffer.withUnsafeBytes { bytes -> Int? in
            guard begin < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + begin, 0x0A, bytes.count - begin)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
        guard let end else { return nil }
        start = end + 1
        return Array(buffer[begin..<end])
    }

    /// Reads once; gives whether something came.
    private func receive(waits: Bool) throws(Failure) -> Bool {
        if engine?.hasEnded == true { throw .ended }
        if chunk.isEmpty { chunk = [UInt8](repeating: 0, count: 65_536) }
        let count = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe recv(
                descriptor, bytes.baseAddress, bytes.count, waits ? 0 : Int32(MSG_DONTWAIT))
        }
        let error = errno
        if count > 0 {
            buffer.removeFirst(start)
            start = 0
            guard let engine else {
                buffer.append(contentsOf: chunk[..<count])
                return true
            }
            return try decrypt(count, engine)
        }
        guard count < 0 else { throw .ended }
        switch error {
        case EAGAIN:
            if waits { throw .silent }
            return false
        case ECONNRESET, EPIPE: throw .reset
        default: throw .system(call: "recv", errno: error)
        }
    }
}

extension RawClient {
    /// Takes so many bytes of ciphertext; true also when no plaintext came of them.
    private func decrypt(_ count: Int, _ engine: TLSEngine) throws(Failure) -> Bool {
        let ciphertext = Array(chunk[..<count])
        var position = 0
        do throws(TLSFault) {
            while true {
                switch try engine.next(in: ciphertext.span, at: &position) {
                case .needsMore:
                    sendOutput(of: engine)
                    return true
                case .established: break
                case .plaintext(let count): buffer += engine.buffers.plaintext[..<count]
                // What came before it is read first.
                case .end: return true
                }
            }
        } catch {
            sendOutput(of: engine)
            throw .unexpected(error.description)
        }
    }
}

// MARK: - Messages

extension RawClient {
    /// The next message, in the order of the wire.
    ///
    /// - Throws: ``Failure``.
    package func message() throws(Failure) -> JSONCodec.ServerMessage {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return try readMessage()
    }

    /// The next message that has been read already, after ``drain()``; nil when there is none.
    ///
    /// - Throws: ``Failure``.
    package func received() throws(Failure) -> JSONCodec.ServerMessage? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        guard let line = takeLine() else { return nil }
        return try Self.decode(line)
    }

    private func readMessage() throws(Failure) -> JSONCodec.ServerMessage {
        try Self.decode(lineBytes())
    }

    private static func decode(_ line: [UInt8]) throws(Failure) -> JSONCodec.ServerMessage {
        do throws(JSONError) {
            return try JSONCodec.decodeServerMessage(line.span)
        } catch {
            throw .unexpected(String(decoding: line, as: UTF8.self))
        }
    }

    /// Sends `{"id":…,<request>}` with a new id, and gives the id.
    @discardableResult
    package func begin(_ request: String) -> UInt32 {
        lastID += 1
        send("{\"id\":\(lastID),\(request)}")
        return lastID
    }

    /// Waits for the answer to a command; other messages wait for ``message()``.
    ///
    /// - Throws: ``Failure``.
    package func answer(to id: UInt32) throws(Failure) -> Answer {
        for (index, message) in waiting.enumerated() {
            guard let answer = Answer(message, id: id) else { continue }
            waiting.remove(at: index)
            return answer
        }
        while true {
            let message = try readMessage()
            if let answer = Answer(message, id: id) { return answer }
            waiting.append(message)
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: ``Failure``.
    @discardableResult
    package func call(_ request: String) throws(Failure) -> Answer {
        try answer(to: begin(request))
    }

    /// Waits for the next push; answers must not come before it.
    ///
    /// - Throws: ``Failure``.
    package func push() throws(Failure) -> PushMessage {
        let message = try message()
        guard case .push(let channel, let kind, let payload) = message else {
            throw .unexpected("\(message)")
        }
        return PushMessage(channel: channel, kind: kind, payload: payload)
    }
}

internal import COpenSSL

/// The memory between engines and the wire: all engines of one thread can share it.
///
/// It is lent to an engine for one call. What a call adds to ``output`` must be taken before another
/// engine gets its turn.
@safe package final class TLSBuffers {
    /// The most plaintext that one record holds (RFC 8446, section 5.1).
    package static let recordBytes = 16_384

    /// What was decrypted last, from the start on.
    package internal(set) var plaintext = [UInt8](repeating: 0, count: recordBytes)
    /// Ciphertext that is to be sent.
    private var output: [UInt8] = []
    /// Ciphertext that was received, only during a call.
    private var input: UnsafePointer<UInt8>?
    private var inputCount = 0

    /// Empty buffers.
    package init() {}

    /// Whether there is something to send.
    package var hasOutput: Bool { !output.isEmpty }

    /// What is to be sent; give it back with ``reuse(_:)`` when that is done at once.
    package func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Keeps the memory of what was sent for what comes next.
    package func reuse(_ sent: inout [UInt8]) {
        guard output.isEmpty, output.capacity < sent.capacity else { return }
        swap(&sent, &output)
        output.removeAll(keepingCapacity: true)
    }

    /// Lets `body` receive from `bytes`; gives how many it took.
    func lending<Result>(
        _ bytes: Span<UInt8>, _ body: () -> Result
    ) -> (result: Result, taken: Int) {
        unsafe bytes.withUnsafeBufferPointer { pointer in
            unsafe input = pointer.baseAddress
            inputCount = pointer.count
            let result = body()
            let taken = pointer.count - inputCount
            unsafe input = nil
            inputCount = 0
            return (result, taken)
        }
    }
}

// MARK: - The library's view

extension TLSBuffers {
    /// A source and sink of the library over these buffers, which must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let bio = unsafe BIO_new(Self.method) else { return nil }
        unsafe serve(bio)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    /// Lets a source and sink that was made before be one over these buffers.
    func serve(_ bio: OpaquePointer?) {
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    }

    /// What the library calls; made once and never freed.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = unsafe BIO_meth_new(kind, "coordd buffers") else { return nil }
        unsafe BIO_meth_set_read_ex(method) { bio, bytes, count, taken in
            unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let data = unsafe BIO_get_data(bio), let bytes = unsafe bytes else { return 0 }
            let read = unsafe Unmanaged<TLSBuffers>.fromOpaque(data)._withUnsafeGuaranteedRef {
                unsafe $0.read(into: bytes, count)
            }
            unsafe taken?.pointee = read
            guard read == 0 else { return 1 }
            unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return 0
        }
        unsafe BIO_meth_set_write_ex(method) { bio, bytes, count, taken in
            unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let data = unsafe BIO_get_data(bio), let bytes = unsafe bytes else { return 0 }
            unsafe Unmanaged<TLSBuffers>.fromOpaque(data)._withUnsafeGuaranteedRef {
                unsafe $0.write(bytes, count)
            }
            unsafe taken?.pointee = count
            return 1
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return unsafe method
    }()

    private func read(into bytes: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let count = min(room, inputCount)
        guard count > 0, let start = unsafe input else { return 0 }
        unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: start, byteCount: count)
        unsafe input = start + count
        inputCount -= count
        return count
    }

    private func write(_ bytes: UnsafePointer<CChar>, _ count: Int) {
        unsafe output.append(
            contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

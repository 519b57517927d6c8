// The entry of a libFuzzer run over one side of TLS and over the readers of PEM. Built by Scripts/fuzz.sh
// together with the sources it is about.

/// Feeds one input: the first byte says to whom, the second how long the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 2 else { return 0 }
    let input = Array(bytes.dropFirst(2))
    let step = max(1, Int(bytes[1]))
    switch bytes[0] % 4 {
    case 0: fuzzStranger(input, step)
    case 1: fuzzHandshake(input, step)
    case 2: fuzzOpen(input, step)
    default: fuzzTexts(input)
    }
    return 0
}

private enum Fuzzed {
    static let server = try? TLSContext(
        certificate: Array(TestCertificates.chain.utf8), key: Array(TestCertificates.key.utf8))
    static let client = try? TLSContext(trusting: Array(TestCertificates.root.utf8))
}

/// Both sides, and what one says to the other.
private final class FuzzedPair {
    let server: TLSEngine
    let client: TLSEngine

    init?() {
        guard let serverContext = Fuzzed.server, let clientContext = Fuzzed.client,
            let server = try? TLSEngine(server: serverContext, buffers: TLSBuffers()),
            let client = try? TLSEngine(
                client: clientContext, expecting: "localhost", buffers: TLSBuffers())
        else { return nil }
        (self.server, self.client) = (server, client)
    }

    /// Gives false when the side has failed.
    static func feed(_ bytes: [UInt8], to engine: TLSEngine, step: Int = .max) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(step))
            rest = rest.dropFirst(piece.count)
            var position = 0
            do throws(TLSFault) {
                while true {
                    let before = position
                    let event = try engine.next(in: piece.span, at: &position)
                    precondition(before <= position && position <= piece.count)
                    if event == .needsMore {
                        precondition(position == piece.count, "bytes are left over")
                        break
                    }
                }
            } catch {
                precondition(engine.phase == .failed(error))
                return false
            }
        }
        return true
    }
}

/// Bytes from somebody who has said nothing yet.
private func fuzzStranger(_ input: [UInt8], _ step: Int) {
    guard let pair = FuzzedPair() else { preconditionFailure("no engines") }
    _ = FuzzedPair.feed(input, to: pair.server, step: step)
    precondition(pair.server.phase != .open, "a stranger got in")
}

/// A handshake whose bytes are changed: pairs of a place and a pattern.
private func fuzzHandshake(_ input: [UInt8], _ step: Int) {
    guard let pair = FuzzedPair() else { preconditionFailure("no engines") }
    var changes = input[...]
    for _ in 0..<4 {
        var words = pair.client.buffers.takeOutput()
        if !words.isEmpty, let place = changes.popFirst(), let pattern = changes.popFirst() {
            words[Int(place) * words.count / 256] ^= pattern
        }
        guard FuzzedPair.feed(words, to: pair.server, step: step) else { return }
        var answer = pair.server.buffers.takeOutput()
        if !answer.isEmpty, let place = changes.popFirst(), let pattern = changes.popFirst() {
            answer[Int(place) * answer.count / 256] ^= pattern
        }
        guard FuzzedPair.feed(answer, to: pair.client, step: step) else { return }
    }
}

/// Bytes in the middle of a connection.
private func fuzzOpen(_ input: [UInt8], _ step: Int) {
    guard let pair = FuzzedPair() else { preconditionFailure("no engines") }
    for _ in 0..<4 {
        guard FuzzedPair.feed(pair.client.buffers.takeOutput(), to: pair.server),
            FuzzedPair.feed(pair.server.buffers.takeOutput(), to: pair.client)
        else { preconditionFailure("a handshake failed") }
    }
    precondition(pair.server.phase == .open && pair.client.phase == .open)
    _ = FuzzedPair.feed(input, to: pair.server, step: step)
    _ = FuzzedPair.feed(input, to: pair.client, step: step)
    pair.server.sayEnd()
}

/// Texts of certificates and keys.
private func fuzzTexts(_ input: [UInt8]) {
    _ = try? TLSContext(certificate: input, key: Array(TestCertificates.key.utf8))
    _ = try? TLSContext(certificate: Array(TestCertificates.chain.utf8), key: input)
    _ = try? TLSContext(trusting: input)
}

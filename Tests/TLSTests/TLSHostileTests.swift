import TLS
import TestSupport
import Testing

/// Whatever a client sends, the worst that comes of it is a fault.
@Suite struct TLSHostileTests {
    private func opened() throws -> EnginePair {
        let pair = try EnginePair()
        try pair.exchange()
        return pair
    }

    @Test func `first bytes that are no handshake are noticed at once`() throws {
        for text in ["{\"id\":1}", "GET / HTTP/1.1", "\u{0}", "\u{80}.\u{1}"] {
            let pair = try EnginePair()
            var position = 0
            let bytes = Array(text.utf8)
            #expect(throws: TLSFault.notTLS) {
                try pair.server.next(in: bytes.span, at: &position)
            }
            // The same fault from then on, and nothing is said to a client that would not understand.
            #expect(throws: TLSFault.notTLS) {
                try pair.server.next(in: bytes.span, at: &position)
            }
            #expect(!pair.server.buffers.hasOutput)
        }
    }

    @Test func `a flipped bit in the handshake is a fault of one side, wherever it is`() throws {
        let length = try { () throws in
            let pair = try EnginePair()
            try pair.exchange()
            return pair.clientBytes
        }()
        var random = SplitMix(seed: 7)
        var faults = 0
        for index in 0..<length {
            let pair = try EnginePair()
            let bit = UInt8(1) << UInt8(random.next() % 8)
            pair.onTheWay = { bytes, start in
                var bytes = bytes
                if (start..<start + bytes.count).contains(index) { bytes[index - start] ^= bit }
                return bytes
            }
            do {
                try pair.exchange()
                // A bit of a random number, of a record's unused version or of an unknown extension
                // changes what both hashed, or nothing; the handshake must not be done in the first case.
                if pair.server.phase != .open { faults += 1 }
            } catch {
                faults += 1
                #expect(pair.server.phase != .handshaking || pair.client.phase != .handshaking)
            }
        }
        // Everything but the version in the headers of the few records is protected.
        #expect(faults >= length - 16, "\(faults) of \(length)")
    }

    @Test func `a flipped bit in a record is a fault`() throws {
        var random = SplitMix(seed: 11)
        for _ in 0..<500 {
            let pair = try opened()
            pair.client.buffers.takeOutput().forEach { _ in }
            let message = [UInt8](repeating: 1, count: Int(random.next() % 300) + 1)
            try pair.client.encrypt(message.span)
            var bytes = pair.client.buffers.takeOutput()
            let index = Int(random.next() % UInt64(bytes.count))
            bytes[index] ^= UInt8(1) << UInt8(random.next() % 8)
            var position = 0
            do {
                // A longer record waits for its rest.
                let event = try pair.server.next(in: bytes.span, at: &position)
                #expect(event == .needsMore && (3...4).contains(index), "byte \(index)")
            } catch {
                #expect(pair.server.phase == .failed(error))
            }
        }
    }

    @Test func `random bytes behind a handshake's first byte are a fault or wait`() throws {
        var random = SplitMix(seed: 13)
        for round in 0..<2000 {
            let pair = try EnginePair()
            let count = Int(random.next() % 600) + 1
            var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes[0] = 22
            // Half of them look like a record of a sane version and length.
            if round % 2 == 0, count > 5 {
                bytes.replaceSubrange(
                    1..<5, with: [3, 1, UInt8((count - 5) >> 8), UInt8((count - 5) & 0xFF)])
            }
            var position = 0
            do {
                let event = try pair.server.next(in: bytes.span, at: &position)
                #expect(event == .needsMore)
            } catch {
                #expect(pair.server.phase == .failed(error))
            }
        }
    }

    @Test func `a repeated or a missing record is a fault`() throws {
        let pair = try opened()
        try pair.client.encrypt([1, 2, 3].span)
        let first = pair.client.buffers.takeOutput()
        try pair.client.encrypt([4, 5, 6].span)
        let second = pair.client.buffers.takeOutput()
        var position = 0
        #expect(try pair.server.next(in: first.span, at: &position) == .plaintext(3))
        position = 0
        #expect(throws: TLSFault.self) { try pair.server.next(in: first.span, at: &position) }
        let other = try opened()
        try other.client.encrypt([1, 2, 3].span)
        _ = other.client.buffers.takeOutput()
        try other.client.encrypt([4, 5, 6].span)
        let late = other.client.buffers.takeOutput()
        position = 0
        #expect(throws: TLSFault.self) { try other.server.next(in: late.span, at: &position) }
        #expect(second.count == late.count)
    }

    @Test func `a client that says hello again and again is a fault`() throws {
        let pair = try EnginePair()
        let hello = pair.client.buffers.takeOutput()
        var position = 0
        #expect(try pair.server.next(in: hello.span, at: &position) == .needsMore)
        position = 0
        #expect(throws: TLSFault.self) { try pair.server.next(in: hello.span, at: &position) }
        // The alert that says so.
        #expect(pair.server.buffers.hasOutput)
    }
}

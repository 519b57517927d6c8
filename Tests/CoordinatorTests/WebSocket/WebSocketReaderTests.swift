import Coordinator
import Testing

/// What each section of RFC 6455 demands of somebody who reads frames.
@Suite struct WebSocketReaderTests {
    /// Reads `bytes` in pieces of `size`; a fault is the last line.
    private func read(
        _ bytes: [UInt8], from sender: WebSocketReader.Sender = .client, limit: Int = 100_000,
        pieces size: Int = .max
    ) -> [String] {
        var reader = WebSocketReader(from: sender, maximumBytes: limit)
        var lines: [String] = []
        var start = 0
        while start < bytes.count {
            let end = size < bytes.count - start ? start + size : bytes.count
            let piece = Array(bytes[start..<end])
            start = end
            var position = 0
            do throws(WebSocketFault) {
                while let event = try reader.next(in: piece.span, at: &position) {
                    lines.append(describe(event, reader.message))
                }
            } catch {
                return lines + ["\(error.code.rawValue) \(error.reason)"]
            }
        }
        return lines
    }

    private func describe(_ event: WebSocketReader.Event, _ message: [UInt8]) -> String {
        switch event {
        case .text: "text " + String(decoding: message, as: UTF8.self)
        case .binary: "binary \(message.count)"
        case .ping(let bytes): "ping " + String(decoding: bytes, as: UTF8.self)
        case .pong(let bytes): "pong " + String(decoding: bytes, as: UTF8.self)
        case .close(let code, let reason): "close \(code.map { "\($0.rawValue)" } ?? "-") \(reason)"
        }
    }

    /// A client's frame with the RFC's own example key.
    private func frame(
        _ first: UInt8, _ payload: [UInt8], key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        var bytes: [UInt8] = [first]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...65_535:
            bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes += key
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index % 4]) }
        return bytes
    }

    private func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

    // MARK: Section 5.7, the RFC's own examples

    @Test func `the RFC's single-frame text from a server`() {
        #expect(
            read([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], from: .server) == ["text Hello"])
    }

    @Test func `the RFC's masked text from a client`() {
        let bytes: [UInt8] = [
            0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
        ]
        #expect(read(bytes) == ["text Hello"])
    }

    @Test func `the RFC's text in fragments`() {
        let bytes: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(read(bytes, from: .server) == ["text Hello"])
    }

    @Test func `the RFC's ping, and its masked pong`() {
        #expect(read([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], from: .server) == ["ping Hello"])
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(read(pong) == ["pong Hello"])
    }

    @Test func `the RFC's binary messages of 256 bytes and 64 KiB`() {
        let short = [0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256)
        #expect(read(short, from: .server) == ["binary 256"])
        let long =
            [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536)
        #expect(read(long, from: .server) == ["binary 65536"])
    }

    // MARK: Section 5.2, the frame

    @Test(arguments: [0x10, 0x20, 0x40] as [UInt8])
    func `a reserved bit fails the connection`(bit: UInt8) {
        #expect(read(frame(0x81 | bit, "x")) == ["1002 a reserved bit without an extension"])
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func `an unknown opcode fails the connection with its first byte`(opcode: UInt8) {
        #expect(read([0x80 | opcode]) == ["1002 unknown opcode \(opcode)"])
    }

    @Test func `a length in more bytes than it needs fails the connection`() {
        let fault = ["1002 a length that is not in its shortest form"]
        #expect(read([0x82, 0xFE, 0, 125]) == fault)
        #expect(read([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) == fault)
        #expect(read([0x82, 0xFE, 0, 126, 0, 0, 0, 0]).isEmpty)
    }

    @Test func `a length with its highest bit set fails the connection`() {
        #expect(
            read([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0])
                == ["1002 a length with its highest bit set"])
    }

    // MARK: Section 5.1 and 5.3, masks

    @Test func `a client must mask and a server must not`() {
        #expect(read([0x81, 0x01, 0x78]) == ["1002 a client's frame without a mask"])
        #expect(read(frame(0x81, "x"), from: .server) == ["1002 a server's frame with a mask"])
    }

    @Test func `every length up to 70 is unmasked at every cut`() {
        for count in 0...70 {
            let text = String(
                decoding: (0..<count).map { UInt8(ascii: "0") + UInt8($0 % 75) }, as: UTF8.self)
            let bytes = frame(0x81, text)
            for size in 1...max(1, bytes.count) {
                let found = read(bytes, pieces: size)
                #expect(found == ["text \(text)"], "\(count) bytes in pieces of \(size)")
            }
        }
    }

    // MARK: Section 5.4, fragments

    @Test func `control frames come between the fragments of a message, in their order`() {
        let bytes =
            frame(0x01, "Hel") + frame(0x89, "are you there") + frame(0x00, "l")
            + frame(0x8A, "") + frame(0x80, "o") + frame(0x81, "next")
        for size in 1...bytes.count {
            #expect(
                read(bytes, pieces: size)
                    == ["ping are you there", "pong ", "text Hello", "text next"])
        }
    }

    @Test func `a continuation of nothing fails the connection`() {
        #expect(read(frame(0x80, "x")) == ["1002 a continuation of nothing"])
        #expect(
            read(frame(0x81, "x") + frame(0x00, "y"))
                == ["text x", "1002 a continuation of nothing"])
    }

    @Test(arguments: [0x01, 0x81, 0x02, 0x82] as [UInt8])
    func `a new message inside another one fails the connection`(first: UInt8) {
        #expect(
            read(frame(0x01, "x") + frame(first, "y"))
                == ["1002 a new message before the end of the one under way"])
    }

    @Test func `empty fragments are allowed`() {
        let bytes = frame(0x01, "") + frame(0x00, "") + frame(0x00, "x") + frame(0x80, "")
        #expect(read(bytes) == ["text x"])
        #expect(read(frame(0x81, "")) == ["text "])
    }

    @Test func `frames that bring a message no nearer to its end come to an end`() {
        let some = frame(0x01, "") + (0..<64).flatMap { _ in frame(0x00, "") }
        // The next message counts anew.
        let whole = some + frame(0x80, "x")
        #expect(read(whole + whole) == ["text x", "text x"])
        let many = some + frame(0x09 | 0x80, "p") + frame(0x00, "")
        #expect(read(many) == ["ping p", "1008 more than 64 empty frames in one message"])
    }

    // MARK: Section 5.5, control frames

    @Test(arguments: [0x08, 0x09, 0x0A] as [UInt8])
    func `a control frame is whole and short`(opcode: UInt8) {
        #expect(read(frame(opcode, "")) == ["1002 a control frame in fragments"])
        let long: [UInt8] = [0x80 | opcode, 0xFE]
        #expect(read(long) == ["1002 a control frame of more than 125 bytes"])
    }

    @Test func `a ping may have 125 bytes`() {
        let text = String(repeating: "p", count: 125)
        #expect(read(frame(0x89, text)) == ["ping \(text)"])
    }

    @Test func `a close frame may be empty, or have a code, or a reason too`() {
        #expect(read(frame(0x88, [])) == ["close - "])
        #expect(read(frame(0x88, [0x03, 0xE8])) == ["close 1000 "])
        #expect(read(frame(0x88, [0x0F, 0xA1] + Array("bye é".utf8))) == ["close 4001 bye é"])
        #expect(read(frame(0x88, [0x03])) == ["1002 a close frame of one byte"])
        #expect(read(frame(0x88, [0x03, 0xE8, 0xC3])) == ["1007 text that is not UTF-8"])
    }

    // MARK: Section 7.4, codes

    @Test(arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func `a code that nobody may send fails the connection`(code: Int) {
        #expect(
            read(frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)]))
                == ["1002 the close code \(code), which nobody may send"])
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1009, 1011, 1014, 3000, 3999, 4000, 4999])
    func `a code that is allowed is told`(code: Int) {
        #expect(
            read(frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])) == ["close \(code) "])
    }

    // MARK: Section 8.1, UTF-8

    /// Bytes that are no UTF-8, and how many of them show it.
    private static let bad: [([UInt8], known: Int)] = [
        ([0x80], 1), ([0xBF], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0xC2, 0x20], 2),
        ([0xE0, 0x9F, 0xBF], 2), ([0xED, 0xA0, 0x80], 2), ([0xED, 0xBF, 0xBF], 2),
        ([0xE1, 0x80, 0xC0], 3), ([0xF0, 0x8F, 0xBF, 0xBF], 2), ([0xF4, 0x90, 0x80, 0x80], 2),
        ([0xF5, 0x80, 0x80, 0x80], 1), ([0xF8, 0x88, 0x80, 0x80, 0x80], 1), ([0xFE], 1),
        ([0xFF], 1), ([0xF1, 0x80, 0x80, 0x41], 4),
    ]

    @Test(arguments: bad.indices)
    func `a text that is not UTF-8 fails at the byte that shows it`(index: Int) {
        let (bytes, known) = Self.bad[index]
        let text = Array("long before ".utf8) + bytes
        #expect(read(frame(0x81, text)) == ["1007 text that is not UTF-8"])
        // The frame announces more; what is there shows the fault already, and no byte less does.
        let whole = frame(0x81, text + Array("and after".utf8))
        let end = 6 + 12 + known
        #expect(read(Array(whole[..<end]), pieces: 1) == ["1007 text that is not UTF-8"])
        #expect(read(Array(whole[..<(end - 1)]), pieces: 1).isEmpty)
    }

    @Test func `the first and last character of each length is text`() {
        let text = "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
        let bytes = frame(0x81, text)
        for size in 1...bytes.count { #expect(read(bytes, pieces: size) == ["text \(text)"]) }
    }

    @Test func `a character may be cut between fragments, and not by the end`() {
        let euro = Array("€".utf8)
        #expect(
            read(frame(0x01, [euro[0]]) + frame(0x00, [euro[1]]) + frame(0x80, [euro[2]]))
                == ["text €"])
        #expect(
            read(frame(0x01, [euro[0]]) + frame(0x80, [euro[1]]))
                == ["1007 text that is not UTF-8"])
        #expect(read(frame(0x81, Array(euro[..<2]))) == ["1007 text that is not UTF-8"])
    }

    @Test func `a message of bytes may be anything`() {
        #expect(read(frame(0x82, [0xFF, 0xFE, 0x80])) == ["binary 3"])
    }

    // MARK: Limits

    @Test func `a message over the limit fails before its bytes are stored`() {
        #expect(read(frame(0x81, "12345"), limit: 5) == ["text 12345"])
        let head = Array(frame(0x81, "123456")[..<6])
        #expect(read(head, limit: 5) == ["1009 a message of more than 5 bytes"])
        let huge: [UInt8] = [0x82, 0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]
        #expect(read(huge) == ["1009 a message of more than 100000 bytes"])
    }

    @Test func `fragments count together, control frames do not`() {
        let bytes = frame(0x01, "123") + frame(0x89, "123456") + frame(0x80, "45")
        #expect(read(bytes, limit: 5) == ["ping 123456", "text 12345"])
        #expect(
            read(frame(0x01, "123") + frame(0x80, "456"), limit: 5)
                == ["1009 a message of more than 5 bytes"])
    }

    @Test func `nothing is kept of what was told`() throws {
        var reader = WebSocketReader(from: .client, maximumBytes: 100_000)
        var position = 0
        let big = frame(0x82, [UInt8](repeating: 1, count: 50_000))
        #expect(try reader.next(in: big.span, at: &position) == .binary)
        #expect(reader.pendingCount == 50_000)
        let after = try reader.next(in: big.span, at: &position)
        #expect(after == nil)
        #expect(reader.pendingCount == 0)
    }
}

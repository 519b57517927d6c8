import Coordinator
import Testing

@Suite struct LineFramerTests {
    private func lines(
        _ chunks: [[UInt8]], maximumBytes: Int = 100
    ) -> (lines: [String], fits: Bool) {
        var framer = LineFramer(maximumBytes: maximumBytes)
        var lines: [String] = []
        for chunk in chunks {
            let fits = framer.consume(chunk.span) { line in
                lines.append(text(line))
                return true
            }
            if !fits { return (lines, false) }
        }
        return (lines, true)
    }

    private func lines(_ text: String, maximumBytes: Int = 100) -> (lines: [String], fits: Bool) {
        lines([Array(text.utf8)], maximumBytes: maximumBytes)
    }

    @Test func `lines end with LF or CRLF and one CR is cut`() {
        #expect(lines("a\nbc\r\n\nd\r\r\nrest").lines == ["a", "bc", "", "d\r"])
    }

    @Test func `every cut position gives the same lines`() {
        let bytes = Array("{}\n{\"id\":1}\r\n\né\r\n\r\nlast\nrest".utf8)
        let expected = ["{}", "{\"id\":1}", "", "é", "", "last"]
        for cut in 0...bytes.count {
            #expect(lines([Array(bytes[..<cut]), Array(bytes[cut...])]).lines == expected)
        }
        #expect(lines(bytes.map { [$0] }).lines == expected)
    }

    @Test func `any chunking gives the same lines`() {
        let seed = UInt64.random(in: 0 ... .max)
        print("LineFramerTests seed \(seed)")
        var random = SeededGenerator(state: seed)
        for _ in 0..<300 {
            let expected = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                String(repeating: "x", count: Int.random(in: 0...40, using: &random))
            }
            var rest = expected.flatMap {
                Array($0.utf8) + Array((Bool.random(using: &random) ? "\n" : "\r\n").utf8)
            }
            var chunks: [[UInt8]] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(60, rest.count), using: &random)
                chunks.append(Array(rest.prefix(count)))
                rest.removeFirst(count)
            }
            #expect(lines(chunks, maximumBytes: 40) == (expected, true))
        }
    }

    @Test(arguments: ["12345\n", "12345\r\n", "12345", "12345\r"])
    func `a line of just the allowed length passes`(text: String) {
        #expect(lines(text, maximumBytes: 5).fits)
        #expect(lines(text.utf8.map { [$0] }, maximumBytes: 5).fits)
    }

    @Test(arguments: ["123456\n", "123456\r\n", "123456", "12345\rx", "12345\r\r\n", "1234567890"])
    func `a longer line fails, with or without its end`(text: String) {
        #expect(!lines(text, maximumBytes: 5).fits)
        #expect(!lines(text.utf8.map { [$0] }, maximumBytes: 5).fits)
    }

    @Test func `lines before one that is too long are passed`() {
        #expect(lines("a\nb\n1234567\nc\n", maximumBytes: 5) == (["a", "b"], false))
    }

    @Test func `a line that is too long is not stored`() {
        var framer = LineFramer(maximumBytes: 5)
        let first = Array("123".utf8)
        let second = Array(repeating: UInt8(ascii: "x"), count: 1000)
        let firstFits = framer.consume(first.span) { _ in true }
        #expect(firstFits)
        #expect(framer.pendingCount == 3)
        let secondFits = framer.consume(second.span) { _ in true }
        #expect(!secondFits)
        #expect(framer.pendingCount == 0)
    }

    @Test func `a callback that gives false ends the work and drops the rest`() {
        var framer = LineFramer(maximumBytes: 100)
        let bytes = Array("a\nb\nc\nrest".utf8)
        var seen: [String] = []
        let fits = framer.consume(bytes.span) { line in
            seen.append(text(line))
            return seen.count < 2
        }
        #expect(fits)
        #expect(seen == ["a", "b"])
        #expect(framer.pendingCount == 0)
    }

    @Test func `a long tail is put together and does not stay`() {
        let long = String(repeating: "y", count: 5000)
        let bytes = Array((long + "\nz\n").utf8)
        #expect(
            lines([Array(bytes[..<3000]), Array(bytes[3000...])], maximumBytes: 5000).lines
                == [long, "z"])
    }
}

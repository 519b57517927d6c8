import Testing
import coordd

@Suite struct BenchMarkTests {
    private static func mark(in text: String) -> BenchMark? {
        let bytes = Array(text.utf8)
        return BenchMark(in: bytes.span)
    }

    @Test func `a mark is written in hexadecimal digits of fixed width`() {
        let mark = BenchMark(number: 0xBEEF, due: 0x1234_5678_9ABC)
        #expect(mark.text == "@0000beef0000123456789abc")
        #expect(mark.text.utf8.count == BenchMark.length)
    }

    @Test func `a mark is found wherever it stands`() {
        let mark = BenchMark(number: .max, due: .max)
        #expect(Self.mark(in: mark.text) == mark)
        #expect(Self.mark(in: #"{"a":"b@c","mark":"\#(mark.text)"}"#) == mark)
    }

    @Test(arguments: [
        "", "@", "@0000000100000000000000", "@0000000g0000000000000002",
        "@0000000A0000000000000002", "00000001 0000000000000002",
    ])
    func `what is no mark is none`(text: String) {
        #expect(Self.mark(in: text) == nil)
    }
}

import Testing
import coordd

@Suite struct BenchMessageTests {
    private static func json(_ text: String) -> BenchMessage {
        let bytes = Array(text.utf8)
        return BenchMessage(json: bytes.span)
    }

    private static func protobuf(_ build: (inout BenchProtobuf) -> Void) -> BenchMessage {
        var message = BenchProtobuf()
        build(&message)
        return BenchMessage(protobuf: message.bytes.span)
    }

    private static func error(_ code: UInt64, _ text: String) -> [UInt8] {
        var fields = BenchProtobuf()
        fields.set(1, number: code)
        fields.set(2, text: text)
        return fields.bytes
    }

    private static let mark = BenchMark(number: 3, due: 99)

    @Test func `JSON messages are told apart`() {
        #expect(Self.json("{}") == .ping)
        #expect(Self.json(#"{"id":7,"rpc":{"data":{"rev":2}}}"#) == .answer(id: 7, refusal: nil))
        #expect(
            Self.json(#"{"id":7,"error":{"code":111,"message":"too many"}}"#)
                == .answer(id: 7, refusal: "111 too many"))
        let pub = #"{"push":{"channel":"session:s","pub":{"data":{"mark":"\#(Self.mark.text)"}}}}"#
        #expect(Self.json(pub) == .event(Self.mark))
        #expect(Self.json(#"{"push":{"channel":"session:s","pub":{"data":{}}}}"#) == .other)
        #expect(
            Self.json(#"{"push":{"disconnect":{"code":3501,"reason":"bad request"}}}"#)
                == .end("disconnected by the server: 3501 bad request"))
    }

    @Test func `what is not the protocol ends it`() {
        guard case .end(let why) = Self.json("hello") else {
            return #expect(Bool(false), "not an end")
        }
        #expect(why.hasPrefix("not the coordd protocol: "))
        let cut: [UInt8] = [0x22, 0x05, 0x01]
        #expect(
            BenchMessage(protobuf: cut.span) == .end("not the coordd protocol: no Protobuf"))
    }

    @Test func `Protobuf messages are told apart`() {
        #expect(Self.protobuf { _ in } == .ping)
        #expect(
            Self.protobuf {
                $0.set(1, number: 300)
                $0.set(13, bytes: [])
            } == .answer(id: 300, refusal: nil))
        #expect(
            Self.protobuf {
                $0.set(1, number: 7)
                $0.set(2, bytes: Self.error(111, "too many"))
            } == .answer(id: 7, refusal: "111 too many"))
        #expect(
            Self.protobuf { message in
                var push = BenchProtobuf()
                push.set(2, text: "session:s")
                push.set(4, text: #"{"mark":"\#(Self.mark.text)"}"#)
                message.set(4, bytes: push.bytes)
            } == .event(Self.mark))
        #expect(
            Self.protobuf { message in
                var push = BenchProtobuf()
                push.set(11, bytes: Self.error(3501, "bad request"))
                message.set(4, bytes: push.bytes)
            } == .end("disconnected by the server: 3501 bad request"))
    }
}

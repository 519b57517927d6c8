import Coordinator
import Testing

@Suite struct WebSocketWriterTests {
    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketWriter.frame(opcode, payload, into: &bytes)
        return bytes
    }

    @Test func `a text is one frame that is not masked`() {
        #expect(
            frame(.text, Array("Hello".utf8)) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(frame(.binary, []) == [0x82, 0x00])
        #expect(frame(.pong, [1]) == [0x8A, 0x01, 1])
    }

    @Test(
        arguments: [
            (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65_535, [0x82, 126, 0xFF, 0xFF]),
            (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func `a length takes its shortest form`(count: Int, head: [UInt8]) {
        let bytes = frame(.binary, [UInt8](repeating: 9, count: count))
        #expect(Array(bytes.prefix(head.count)) == head)
        #expect(bytes.count == head.count + count)
        #expect(WebSocketWriter.headBytes(for: count) == head.count)
    }

    @Test func `a close frame has its code, and a reason of 123 bytes at most`() {
        var bytes: [UInt8] = []
        WebSocketWriter.close(WebSocketCode(3001), reason: "shutdown", into: &bytes)
        #expect(bytes == [0x88, 10, 0x0B, 0xB9] + Array("shutdown".utf8))
        bytes = []
        // 61 characters of two bytes are 122; a 62nd would be the 124th byte.
        WebSocketWriter.close(
            .normal, reason: String(repeating: "é", count: 100), into: &bytes)
        #expect(bytes.count == 2 + 2 + 122)
        #expect(bytes[1] == 124)
    }

    @Test func `a code that nobody may send is left out`() {
        var bytes: [UInt8] = []
        WebSocketWriter.close(WebSocketCode(1005), reason: "x", into: &bytes)
        WebSocketWriter.close(nil, reason: "x", into: &bytes)
        #expect(bytes == [0x88, 0, 0x88, 0])
    }
}

/// The encodings with their frames.
@Suite struct WireEncodingTests {
    @Test(arguments: [0, 1, 115, 116, 65_525, 65_526, 70_000])
    func `a frame's head fits what is in it, and leaves alone what was there`(count: Int) {
        let data = [UInt8](repeating: UInt8(ascii: "1"), count: count)
        let reply = Reply(id: 1, body: .rpc(data: data))
        var json: [UInt8] = []
        JSONCodec.encode(reply, into: &json)
        json.removeLast()
        var expected: [UInt8] = [7, 7]
        WebSocketWriter.frame(.text, json, into: &expected)
        var bytes: [UInt8] = [7, 7]
        WireEncoding.webSocketJSON.encode(reply, into: &bytes)
        #expect(bytes == expected)
    }

    @Test func `a ping in each encoding`() {
        #expect(WireEncoding.line.ping == Array("{}\n".utf8))
        #expect(WireEncoding.webSocketJSON.ping == [0x81, 2] + Array("{}".utf8))
        #expect(WireEncoding.webSocketProtobuf.ping == [0x82, 1, 0])
    }
}

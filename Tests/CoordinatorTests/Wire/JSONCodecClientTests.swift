import Coordinator
import Testing

@Suite struct JSONCodecClientTests {
    private func line(_ command: Command) -> String {
        var bytes: [UInt8] = []
        JSONCodec.encode(command, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func message(_ line: String) throws(JSONError) -> JSONCodec.ServerMessage {
        let bytes = Array(line.utf8)
        return try JSONCodec.decodeServerMessage(bytes.span)
    }

    @Test func `commands leave out zero values`() {
        #expect(line(Command(id: 0, request: .pong)) == "{}\n")
        #expect(line(Command(id: 0, request: .send)) == "{\"send\":{}}\n")
        #expect(
            line(Command(id: 1, request: .connect(Command.Connect())))
                == "{\"id\":1,\"connect\":{}}\n")
        #expect(
            line(Command(id: 2, request: .subscribe(Command.Subscribe(channel: "session:a"))))
                == "{\"id\":2,\"subscribe\":{\"channel\":\"session:a\"}}\n")
    }

    @Test func `decoding undoes encoding`() throws {
        let data = JSONDocument(root: ["a": [1, true, "é\n"]])
        let requests: [Command.Request] = [
            .connect(Command.Connect(token: "t", data: data, name: "n", version: "v")),
            .subscribe(
                Command.Subscribe(
                    channel: "c", data: data, recover: StreamPosition(epoch: "e", offset: .max),
                    joinLeave: true, refusesUnrecovered: true, hasTagsFilter: true, type: -2)),
            .subscribe(
                Command.Subscribe(
                    channel: "c", token: "t", recover: StreamPosition(epoch: "", offset: 0))),
            .unsubscribe(channel: "c"), .publish(channel: "c", data: data),
            .presence(channel: "c"), .presenceStats(channel: "c"),
            .history(
                Command.History(
                    channel: "c", limit: -1, since: StreamPosition(epoch: "e", offset: 3),
                    reverse: true)),
            .rpc(method: "m", data: data), .rpc(method: "m", data: nil), .send,
            .refresh(token: nil), .refresh(token: "t"), .subRefresh(channel: "c", token: nil),
            .subRefresh(channel: "c", token: "t"), .ping,
        ]
        for request in requests {
            let command = Command(id: 9, request: request)
            #expect(decode(line(command)) == .command(command))
        }
        #expect(decode("{}\n") == .command(Command(id: 0, request: .pong)))
    }

    @Test func `server messages are told apart`() throws {
        #expect(try message("{}") == .ping)
        #expect(
            try message(#"{"id":5,"rpc":{"data":1}}"#)
                == .reply(id: 5, kind: "rpc", result: ["data": 1]))
        #expect(
            try message(#"{"unsubscribe":{},"id":5}"#)
                == .reply(id: 5, kind: "unsubscribe", result: [:]))
        #expect(
            try message(#"{"id":5,"error":{"code":111,"message":"m","temporary":true}}"#)
                == .failure(id: 5, ReplyError(code: 111, message: "m", temporary: true)))
        #expect(
            try message(#"{"error":{"code":107,"message":"m"}}"#)
                == .failure(id: 0, ReplyError(code: 107, message: "m")))
        #expect(
            try message(#"{"push":{"channel":"c","pub":{"data":1}}}"#)
                == .push(channel: "c", kind: "pub", payload: ["data": 1]))
        #expect(
            try message(#"{"push":{"disconnect":{"code":3001,"reason":"r"}}}"#)
                == .push(channel: nil, kind: "disconnect", payload: ["code": 3001, "reason": "r"]))
    }

    @Test(arguments: [
        "", "5", "[]", #"{"id":1}"#, #"{"id":-1,"rpc":{}}"#, #"{"push":1}"#, #"{"push":{}}"#,
        #"{"id":1,"error":{"code":1}}"#, #"{"id":1,"error":{"message":"m"}}"#,
    ])
    func `what is no message of a server is refused`(line: String) {
        #expect(throws: JSONError.self) { try message(line) }
    }
}

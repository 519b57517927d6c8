import Coordinator
import Testing

@Suite struct JSONCodecDecodeTests {
    @Test func `every request is read with its fields`() throws {
        let data = try document(#"{"device":"tv"}"#)
        #expect(
            decode(
                #"{"id":1,"connect":{"token":"t","data":{"device":"tv"},"name":"js","version":"1","headers":{"X":"y"}}}"#
            )
                == .command(
                    Command(
                        id: 1,
                        request: .connect(
                            Command.Connect(token: "t", data: data, name: "js", version: "1")))))
        #expect(
            decode(
                #"{"subscribe":{"channel":"session:a","data":{"device":"tv"},"recover":true,"epoch":"e","offset":17,"join_leave":true,"flag":3,"type":1,"tf":{}},"id":4294967295}"#
            )
                == .command(
                    Command(
                        id: .max,
                        request: .subscribe(
                            Command.Subscribe(
                                channel: "session:a", data: data,
                                recover: StreamPosition(epoch: "e", offset: 17), joinLeave: true,
                                refusesUnrecovered: true, hasTagsFilter: true, type: 1)))))
        #expect(
            decode(
                #"{"id":7,"history":{"channel":"c","limit":-1,"since":{"offset":18446744073709551615,"epoch":"e"},"reverse":true}}"#
            )
                == .command(
                    Command(
                        id: 7,
                        request: .history(
                            Command.History(
                                channel: "c", limit: -1,
                                since: StreamPosition(epoch: "e", offset: .max), reverse: true)))))
    }

    @Test(
        arguments: [
            (#"{"id":2,"subscribe":{"channel":"c"}}"#, .subscribe(Command.Subscribe(channel: "c"))),
            (#"{"id":2,"unsubscribe":{"channel":"c"}}"#, .unsubscribe(channel: "c")),
            (
                #"{"id":2,"publish":{"channel":"c","data":[1]}}"#,
                .publish(channel: "c", data: JSONDocument(root: [1]))
            ),
            (#"{"id":2,"presence":{"channel":"c"}}"#, .presence(channel: "c")),
            (#"{"id":2,"presence_stats":{"channel":"c"}}"#, .presenceStats(channel: "c")),
            (#"{"id":2,"history":{"channel":"c"}}"#, .history(Command.History(channel: "c"))),
            (#"{"id":2,"rpc":{"method":"m"}}"#, .rpc(method: "m", data: nil)),
            (
                #"{"id":2,"rpc":{"method":"m","data":1e400}}"#,
                .rpc(method: "m", data: JSONDocument(root: .number(JSONNumber(text: "1e400"))))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"c","token":"t"}}"#,
                .subscribe(Command.Subscribe(channel: "c", token: "t"))
            ),
            (#"{"id":2,"refresh":{}}"#, .refresh(token: nil)),
            (
                #"{"id":2,"sub_refresh":{"channel":"c","token":"t"}}"#,
                .subRefresh(channel: "c", token: "t")
            ),
            (#"{"id":2,"send":{}}"#, .send),
            (#"{"id":2,"refresh":{"token":"t"}}"#, .refresh(token: "t")),
            (#"{"id":2,"sub_refresh":{"channel":"c"}}"#, .subRefresh(channel: "c", token: nil)),
            (#"{"id":2,"ping":{}}"#, .ping),
            (#" { "id" : 2 , "ping" : { "unknown" : 5 } , "unknown" : 1 } "#, .ping),
            (#"{"id":2,"connect":null,"ping":{}}"#, .ping),
            (
                #"{"id":2,"subscribe":{"channel":"c","data":null,"offset":null,"recover":false,"epoch":"e"}}"#,
                .subscribe(Command.Subscribe(channel: "c"))
            ),
        ] as [(String, Command.Request)])
    func `a request is what its name says`(line: String, request: Command.Request) {
        #expect(decode(line) == .command(Command(id: 2, request: request)))
    }

    @Test(arguments: ["{}", " { } ", #"{"id":0}"#, #"{"id":null}"#, #"{"unknown":1}"#])
    func `an object without an id and a request is a pong`(line: String) {
        #expect(decode(line) == .command(Command(id: 0, request: .pong)))
    }

    @Test func `send needs no id`() {
        #expect(decode(#"{"send":{"data":1}}"#) == .command(Command(id: 0, request: .send)))
    }

    @Test func `the first of several requests counts`() {
        let names = [
            "connect", "subscribe", "unsubscribe", "publish", "presence", "presence_stats",
            "history", "rpc", "send", "refresh", "sub_refresh", "ping",
        ]
        for (index, name) in names.enumerated() {
            let rest = names[index...].reversed().map {
                "\"\($0)\":{\"channel\":\"c\",\"data\":{},\"method\":\"\(name)\"}"
            }
            let alone = "\"\(name)\":{\"channel\":\"c\",\"data\":{},\"method\":\"\(name)\"}"
            let all = decode("{\"id\":1,\(rest.joined(separator: ","))}")
            #expect(all == decode("{\"id\":1,\(alone)}"))
            guard case .command = all else {
                Issue.record("\(name) is not a command")
                continue
            }
        }
    }

    @Test func `defects of a payload travel with it and have paths inside it`() {
        let line = #"{"id":1,"rpc":{"method":"session.apply","data":{"event":{"a":1,"a":2}}}}"#
        guard case .command(let command) = decode(line),
            case .rpc(_, let data?) = command.request
        else {
            Issue.record("not a command")
            return
        }
        #expect(
            data.defects == [JSONDocument.Defect(kind: .doubledKey, path: ["event", "a"])])
        #expect(
            data.subdocument("event")?.defects
                == [JSONDocument.Defect(kind: .doubledKey, path: ["a"])])
    }

    @Test func `defects of a published event travel with it`() {
        let line = #"{"id":1,"publish":{"channel":"c","data":{"t":"\ud800"}}}"#
        guard case .command(let command) = decode(line),
            case .publish(_, let data) = command.request
        else {
            Issue.record("not a command")
            return
        }
        #expect(data.defects == [JSONDocument.Defect(kind: .loneSurrogate, path: ["t"])])
    }
}

import Coordinator
import Testing

@Suite struct JSONCodecHostileTests {
    /// An rpc whose data makes the whole line `levels` deep.
    private func nested(_ levels: Int) -> String {
        let inner = levels - 2
        return #"{"id":1,"rpc":{"method":"m","data":"#
            + String(repeating: "[", count: inner) + String(repeating: "]", count: inner) + "}}"
    }

    @Test func `32 levels pass and 33 end the connection`() {
        guard case .command = decode(nested(32)) else {
            Issue.record("32 levels were refused")
            return
        }
        #expect(decode(nested(33)) == .disconnect(.badRequest))
        #expect(decode(nested(30_000)) == .disconnect(.badRequest))
    }

    @Test(arguments: [
        "", " ", "x", "null", "1", "\"text\"", "[]", "[{}]", "{", "}", "{}{}", "{} x", "{,}",
        "{\"id\"}", "{\"id\":}", "{'id':1}", "{id:1}", "{\"id\":1,}", "{\"id\":01}",
        "{\"id\":1.,\"ping\":{}}", "{\"id\":.1}", "{\"id\":+1}", "{\"id\":0x1}", "{\"id\":NaN}",
        "{\"id\":1,\"ping\":{}", "{\"id\":1 \"ping\":{}}", "{\"id\":1,\"ping\":{}}\0",
        "\u{FEFF}{}", "{\"a\":\"\u{1}\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"",
        "{\"a\":tru}", "/**/{}", "{\"a\":\"\t\"}",
    ])
    func `what is not one JSON object ends the connection`(line: String) {
        #expect(decode(line) == .disconnect(.badRequest))
    }

    @Test(
        arguments: [
            [0x80], [0xFF], [0xC0, 0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `what is not UTF-8 ends the connection`(bytes: [UInt8]) {
        let start = Array(#"{"id":1,"rpc":{"method":""#.utf8)
        #expect(decode(start + bytes + Array(#""}}"#.utf8)) == .disconnect(.badRequest))
        let key = Array(#"{"id":1,"rpc":{"method":"m","data":{""#.utf8)
        #expect(decode(key + bytes + Array(#"":1}}}"#.utf8)) == .disconnect(.badRequest))
    }

    @Test(arguments: [
        #"{"id":-1,"ping":{}}"#, #"{"id":4294967296,"ping":{}}"#, #"{"id":1.0,"ping":{}}"#,
        #"{"id":1e0,"ping":{}}"#, #"{"id":1e400,"ping":{}}"#, #"{"id":"1","ping":{}}"#,
        #"{"id":true,"ping":{}}"#, #"{"id":[1],"ping":{}}"#, #"{"id":{},"ping":{}}"#,
        #"{"id":1,"id":1,"ping":{}}"#, #"{"id":-1}"#,
    ])
    func `an id that cannot be answered ends the connection`(line: String) {
        #expect(decode(line) == .disconnect(.badRequest))
    }

    @Test(arguments: [
        "connect", "subscribe", "unsubscribe", "publish", "presence", "presence_stats", "history",
        "rpc", "refresh", "sub_refresh", "ping",
    ])
    func `a request without an id ends the connection`(name: String) {
        #expect(decode("{\"\(name)\":{}}") == .disconnect(.badRequest))
        #expect(decode("{\"id\":0,\"\(name)\":{\"channel\":\"c\"}}") == .disconnect(.badRequest))
    }

    @Test(arguments: [
        #"{"send":5}"#, #"{"send":{"data":{"a":1,"a":2}}}"#, #"{"send":{},"x":"\ud800"}"#,
        #"{"x":1,"x":2}"#,
    ])
    func `a fault without an id to answer ends the connection`(line: String) {
        #expect(decode(line) == .disconnect(.badRequest))
    }

    @Test(arguments: [
        (#"{"id":9}"#, "the command has no known request"),
        (#"{"id":9,"unknown":{}}"#, "the command has no known request"),
        (#"{"id":9,"ping":5}"#, "ping must be an object, not a number"),
        (#"{"id":9,"rpc":[]}"#, "rpc must be an object, not an array"),
        (#"{"id":9,"send":"x"}"#, "send must be an object, not a string"),
        (#"{"id":9,"subscribe":{}}"#, "subscribe.channel is missing"),
        (#"{"id":9,"subscribe":{"channel":""}}"#, "subscribe.channel is missing"),
        (#"{"id":9,"unsubscribe":{}}"#, "unsubscribe.channel is missing"),
        (#"{"id":9,"publish":{"data":{}}}"#, "publish.channel is missing"),
        (#"{"id":9,"publish":{"channel":"c"}}"#, "publish.data is missing"),
        (#"{"id":9,"presence":{}}"#, "presence.channel is missing"),
        (#"{"id":9,"presence_stats":{}}"#, "presence_stats.channel is missing"),
        (#"{"id":9,"history":{}}"#, "history.channel is missing"),
        (#"{"id":9,"sub_refresh":{}}"#, "sub_refresh.channel is missing"),
        (#"{"id":9,"rpc":{}}"#, "rpc.method is missing"),
        (#"{"id":9,"rpc":{"method":null}}"#, "rpc.method is missing"),
        (
            #"{"id":9,"history":{"channel":"c","since":{"offset":-1}}}"#,
            "history.since.offset must be an unsigned integer, not a number"
        ),
        (
            #"{"id":9,"history":{"channel":"c","since":{"epoch":1}}}"#,
            "history.since.epoch must be a string, not a number"
        ),
        (#"{"id":9,"ping":{},"ping":{}}"#, "ping: the name stands twice in its object"),
        (
            #"{"id":9,"rpc":{"method":"a","method":"b"}}"#,
            "rpc.method: the name stands twice in its object"
        ),
        (
            #"{"id":9,"rpc":{"method":"a","data":1,"data":2}}"#,
            "rpc.data: the name stands twice in its object"
        ),
        (#"{"id":9,"rpc":{"method":"\udc00"}}"#, "rpc.method: half a surrogate pair"),
        (
            #"{"id":9,"subscribe":{"channel":"c","data":{"role":{"a":[{"b":1,"b":1}]}}}}"#,
            "subscribe.data.role.a[0].b: the name stands twice in its object"
        ),
        (
            #"{"id":9,"connect":{"data":{"device":"\ud83d"}}}"#,
            "connect.data.device: half a surrogate pair"
        ),
        (#"{"id":9,"ping":{},"x":["\ud800\ud800"]}"#, "x[0]: half a surrogate pair"),
    ])
    func `a fault of a command with an id is error 107 that names the place`(
        line: String, message: String
    ) {
        #expect(decode(line) == .reply(id: 9, .badRequest(message)))
    }

    @Test(
        arguments: [
            ("connect", ["token", "name", "version", "dict", "profile"], "a string"),
            ("connect", ["subs", "headers"], "an object"), ("connect", ["flag"], "an integer"),
            ("subscribe", ["channel", "token", "epoch", "delta", "cursor"], "a string"),
            (
                "subscribe", ["recover", "positioned", "recoverable", "join_leave", "asc"],
                "a boolean"
            ),
            ("subscribe", ["offset"], "an unsigned integer"), ("subscribe", ["tf"], "an object"),
            ("subscribe", ["flag", "type", "phase", "limit"], "an integer"),
            ("unsubscribe", ["channel"], "a string"), ("publish", ["channel", "key"], "a string"),
            ("publish", ["type"], "an integer"), ("publish", ["removed"], "a boolean"),
            ("presence", ["channel"], "a string"), ("presence_stats", ["channel"], "a string"),
            ("history", ["channel"], "a string"), ("history", ["limit"], "an integer"),
            ("history", ["since"], "an object"), ("history", ["reverse"], "a boolean"),
            ("rpc", ["method"], "a string"), ("refresh", ["token"], "a string"),
            ("sub_refresh", ["channel", "token"], "a string"),
            ("sub_refresh", ["type"], "an integer"),
            ("sub_refresh", ["track", "untrack"], "an array"),
        ] as [(String, [String], String)])
    func `every mistyped field is error 107 that names it`(
        request: String, fields: [String], wanted: String
    ) {
        let values = [
            ("5", "a number", ["an integer", "an unsigned integer"]),
            ("-5", "a number", ["an integer"]), ("1.5", "a number", []),
            ("1e400", "a number", []), ("18446744073709551616", "a number", []),
            ("\"x\"", "a string", ["a string"]), ("true", "a boolean", ["a boolean"]),
            ("[]", "an array", ["an array"]), ("{}", "an object", ["an object"]),
        ]
        for field in fields {
            for (value, kind, fitting) in values where !fitting.contains(wanted) {
                let line = "{\"id\":3,\"\(request)\":{\"\(field)\":\(value)}}"
                let message = "\(request).\(field) must be \(wanted), not \(kind)"
                #expect(decode(line) == .reply(id: 3, .badRequest(message)))
            }
        }
    }

    @Test func `publishing to a map is not offered`() {
        let line = #"{"id":3,"publish":{"channel":"session:a","type":1,"key":"k","data":{}}}"#
        #expect(
            decode(line)
                == .reply(id: 3, .notAvailable("publish.type: only streams (0) are served")))
    }
}

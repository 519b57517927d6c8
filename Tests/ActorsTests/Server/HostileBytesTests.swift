import Coordinator
import TestSupport
import Testing

/// What clients may send and must not, one row each, with what the contract answers.
///
/// Meanwhile a well-behaved mirror of the same session sees every publication.
@Suite(.timeLimit(.minutes(5)))
struct HostileBytesTests {
    struct Attack: Sendable {
        var name: String
        var bytes: [UInt8]
        /// What each line begins with that comes back.
        var answers: [String]
        var isEnd: Bool

        init(_ name: String, _ text: String, _ answers: [String], ends: Bool) {
            self.init(name, bytes: Array(text.utf8), answers, ends: ends)
        }

        init(_ name: String, bytes: [UInt8], _ answers: [String], ends: Bool) {
            self.name = name
            self.bytes = bytes
            self.answers = answers
            isEnd = ends
        }
    }

    private static let badRequest =
        #"{"push":{"disconnect":{"code":3501,"reason":"bad request"}}}"#
    private static let tooLarge =
        #"{"push":{"disconnect":{"code":3501,"reason":"message too large"}}}"#
    private static let noCarrier = #"{"error":{"code":107,"message":"#

    private static func nested(_ levels: Int) -> String {
        // The line's object and that of the rpc are the first two levels.
        let (open, close) = (
            String(repeating: "[", count: levels - 2), String(repeating: "]", count: levels - 2)
        )
        return #"{"id":2,"rpc":{"method":"none","data":\#(open)\#(close)}}"# + "\n"
    }

    private static func fails(_ code: Int) -> [String] {
        [#"{"id":2,"error":{"code":\#(code),"message":"#]
    }

    private static func applying(_ event: String) -> String {
        #"{"id":2,"# + RawClient.applying(event, to: "a") + "}\n"
    }

    static let fresh: [Attack] = [
        Attack("words", "hello\n", [noCarrier], ends: true),
        Attack("an array", "[1]\n", [noCarrier], ends: true),
        Attack("a blank line first", "\n", [noCarrier], ends: true),
        Attack("a blank before the object", " {}\n", [noCarrier], ends: true),
        Attack("zero bytes", bytes: [0, 0, 0, 0], [noCarrier], ends: true),
        Attack("a TLS hello", bytes: [0x16, 3, 1, 2, 0, 1, 0], [noCarrier], ends: true),
        Attack("not UTF-8", bytes: [0xFF, 0xFE, 0x0A], [noCarrier], ends: true),
        Attack("nearly HTTP", "GETS / HTTP/1.1\r\n\r\n", [noCarrier], ends: true),
        Attack("a pong", "{}\n", [badRequest], ends: true),
        Attack(
            "a command before connect", #"{"id":1,"rpc":{"method":"session.state"}}"# + "\n",
            [badRequest], ends: true),
        Attack("connect without an id", "{\"connect\":{}}\n", [badRequest], ends: true),
        Attack("id 0", "{\"id\":0,\"connect\":{}}\n", [badRequest], ends: true),
        Attack("a negative id", "{\"id\":-1,\"connect\":{}}\n", [badRequest], ends: true),
        Attack(
            "an id over 32 bits", "{\"id\":4294967296,\"connect\":{}}\n", [badRequest], ends: true),
        Attack("a text as id", "{\"id\":\"1\",\"connect\":{}}\n", [badRequest], ends: true),
        Attack("half an id", "{\"id\":1.5,\"connect\":{}}\n", [badRequest], ends: true),
        Attack(
            "a mistyped connect, and a second try",
            #"{"id":1,"connect":{"data":{"device":5}}}"# + "\n" + #"{"id":2,"connect":{}}"# + "\n",
            [#"{"id":1,"error":{"code":107,"message":"#, badRequest], ends: true),
        Attack(
            "ten megabytes in a line",
            #"{"id":1,"connect":{"token":""# + String(repeating: "a", count: 10_000_000),
            [tooLarge], ends: true),
    ]

    static let connected: [Attack] = [
        Attack("no JSON", "{\"id\":2,\n", [badRequest], ends: true),
        Attack("no object", "[{\"id\":2}]\n", [badRequest], ends: true),
        Attack("a number", "5\n", [badRequest], ends: true),
        Attack("a blank line", "\n", [badRequest], ends: true),
        Attack("CR LF alone", "\r\n", [badRequest], ends: true),
        Attack("binary", bytes: [0, 1, 2, 0x7B, 0x0A], [badRequest], ends: true),
        Attack(
            "not UTF-8 in a text",
            bytes: Array("{\"id\":2,\"rpc\":{\"method\":\"".utf8)
                + [0xC3, 0x28] + Array("\"}}\n".utf8), [badRequest], ends: true),
        Attack("32 levels", nested(32), fails(104), ends: false),
        Attack("33 levels", nested(33), [badRequest], ends: true),
        Attack("an unsolicited pong", "{}\n", [badRequest], ends: true),
        Attack("a second connect", "{\"id\":2,\"connect\":{}}\n", [badRequest], ends: true),
        Attack(
            "send", "{\"send\":{\"data\":1}}\n",
            [#"{"push":{"disconnect":{"code":3508,"reason":"not available"}}}"#], ends: true),
        Attack("ping as a command", "{\"id\":2,\"ping\":{}}\n", fails(108), ends: false),
        Attack("no request", "{\"id\":2}\n", fails(107), ends: false),
        Attack("an unknown request", "{\"id\":2,\"dance\":{}}\n", fails(107), ends: false),
        Attack("a mistyped request", "{\"id\":2,\"subscribe\":5}\n", fails(107), ends: false),
        Attack("no channel", "{\"id\":2,\"subscribe\":{}}\n", fails(107), ends: false),
        Attack(
            "a mistyped channel", #"{"id":2,"subscribe":{"channel":5}}"# + "\n", fails(107),
            ends: false),
        Attack(
            "another kind of channel", #"{"id":2,"subscribe":{"channel":"chat:a"}}"# + "\n",
            fails(107), ends: false),
        Attack(
            "no id in the channel", #"{"id":2,"subscribe":{"channel":"session:"}}"# + "\n",
            fails(107), ends: false),
        Attack(
            "a blank in the channel", #"{"id":2,"subscribe":{"channel":"session:a b"}}"# + "\n",
            fails(107), ends: false),
        Attack(
            "a negative offset",
            #"{"id":2,"subscribe":{"channel":"session:a","recover":true,"offset":-1}}"# + "\n",
            fails(107), ends: false),
        Attack(
            "a forbidden role",
            #"{"id":2,"subscribe":{"channel":"session:a","data":{"role":"player"}}}"# + "\n",
            fails(107), ends: false),
        Attack(
            "a doubled key of the envelope",
            #"{"id":2,"rpc":{"method":"session.state","method":"x","data":{"session":"a"}}}"#
                + "\n", fails(107), ends: false),
        Attack(
            "a lone surrogate in the envelope",
            #"{"id":2,"history":{"channel":"session:a","x":"\ud800"}}"# + "\n", fails(107),
            ends: false),
        Attack(
            "an unknown method",
            #"{"id":2,"rpc":{"method":"session.eat","data":{"session":"a"}}}"# + "\n", fails(104),
            ends: false),
        Attack(
            "a method without data", #"{"id":2,"rpc":{"method":"session.state"}}"# + "\n",
            fails(107), ends: false),
        Attack("an event that is no object", applying("5"), fails(422), ends: false),
        Attack("an event without a type", applying("{}"), fails(422), ends: false),
        Attack("an unknown event", applying(#"{"type":"door.open"}"#), fails(422), ends: false),
        Attack(
            "a mistyped field", applying(#"{"type":"fullscreen.set","on":1}"#), fails(422),
            ends: false),
        Attack(
            "a doubled key of an event",
            applying(#"{"type":"fullscreen.set","on":true,"on":false}"#), fails(422), ends: false),
        Attack(
            "a lone surrogate in an event",
            applying(#"{"type":"fullscreen.set","on":true,"x":"\ud800"}"#), fails(422), ends: false),
        Attack(
            "a number out of range", applying(#"{"type":"betslip.update","stake":1e400}"#),
            fails(422), ends: false),
        Attack(
            "a number out of range in an extra field",
            applying(#"{"type":"fullscreen.set","on":true,"x":[1e400]}"#), fails(422), ends: false),
        Attack(
            "an id of 65 bytes",
            #"{"id":2,"rpc":{"method":"session.apply","data":{"session":"a","event":{},"id":""#
                + String(repeating: "x", count: 65) + "\"}}}\n", fails(107), ends: false),
        Attack(
            "a command, then garbage",
            #"{"id":2,"rpc":{"method":"none","data":{}}}"# + "\n{]\n{\"id\":3,\"ping\":{}}\n",
            [fails(104)[0], badRequest], ends: true),
        Attack(
            "a line that is too long",
            "{\"id\":2,\"ping\":{}" + String(repeating: " ", count: 65_520) + "}\n", [tooLarge],
            ends: true),
        Attack(
            "a line as long as allowed",
            "{\"id\":2,\"ping\":{}" + String(repeating: " ", count: 65_518) + "}\r\n", fails(108),
            ends: false),
    ]

    /// Runs the attacks beside a session in use; every publication must arrive.
    private func withstand(
        _ attacks: [Attack], _ opening: (TestServer) throws -> RawClient
    ) async throws {
        try await withServer { server in
            let mirror = try RawClient(port: server.port, device: "tv")
            var folded = try FoldedMirror(subscribed: mirror.subscribe("a").result)
            let sender = try RawClient(port: server.port, device: "tablet")
            func useSession() throws {
                try sender.apply(#"{"type":"fullscreen.toggle"}"#, to: "a")
                try folded.take(publication: mirror.push().payload)
            }
            for attack in attacks {
                let client = try opening(server)
                client.send(bytes: attack.bytes)
                try useSession()
                if attack.isEnd {
                    let (lines, end) = client.rest()
                    #expect(lines.count == attack.answers.count, "\(attack.name)")
                    for (line, wanted) in zip(lines, attack.answers) {
                        #expect(line.hasPrefix(wanted), "\(attack.name)")
                    }
                    #expect(end == .ended, "\(attack.name)")
                } else {
                    for wanted in attack.answers {
                        #expect(try client.line().hasPrefix(wanted), "\(attack.name)")
                    }
                    client.send(#"{"id":99,"ping":{}}"#)
                    #expect(
                        try client.line().hasPrefix(#"{"id":99,"error":{"code":108,"#),
                        "\(attack.name)")
                }
                client.close()
                try useSession()
            }
            #expect(folded.revision == UInt64(attacks.count) * 2)
            let state = try sender.rpc("session.state", "a").result
            #expect(state["state"] == folded.state)
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
            #expect(await server.storedSessions == 1)
        }
    }

    @Test func `hostile first bytes are answered as documented and harm nobody`() async throws {
        try await withstand(Self.fresh) { try RawClient(port: $0.port) }
    }

    @Test func `hostile lines are answered as documented and harm nobody`() async throws {
        try await withstand(Self.connected) { try RawClient(port: $0.port, device: "x") }
    }

    @Test(arguments: ["{\"id\":1,\"conn", "GE", "GET / HTTP/1.1\r\nHost:", "{", ""])
    func `who closes in the middle of something is let go`(text: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: Array(text.utf8))
            client.endSending()
            #expect(client.rest().end == .ended)
            client.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `what came before the end of the input is answered`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            client.send(#"{"id":2,"subscribe":{"channel":"session:a"}}"#)
            client.send(
                "{\"id\":3," + RawClient.applying(#"{"type":"betslip.close"}"#, to: "a") + "}")
            client.endSending()
            let (lines, end) = client.rest()
            #expect(lines.map { $0.prefix(7) } == ["{\"id\":2", "{\"id\":3"])
            #expect(end == .ended)
        }
    }

    @Test func `a number out of range in a bridge body is a bad field only`() async throws {
        try await withServer { server in
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.subscribe("a")
            try phone.attach("a")
            let payload = #"{"sportsbookSelectionId":"s","decimalPrice":1e400,"stake":"5.00"}"#
            let answer = try phone.apply(
                #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"multibet-event","payload":\#(payload)}}"#,
                to: "a")
            #expect(answer.result["warnings"]?.array?.count == 1)
            let slip = try phone.rpc("session.state", "a").result.at("state", "betslip")
            #expect(slip?["stake"] == "5.00")
            #expect(slip?["selections"] == [["sportsbookSelectionId": "s"]])
            let surrogate = #"{"type":"bridge","handler":"bridge","body":"\udc00"}"#
            #expect(try phone.apply(surrogate, to: "a").code == 422)
        }
    }
}

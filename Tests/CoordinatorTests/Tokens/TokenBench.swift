import Coordinator

/// A connection's machine that wants tokens, and their issuer.
///
/// It begins 1,000 s after 1970.
struct TokenBench {
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    var harness: ClientHarness
    var revocations = Revocations()

    init(textBytes: Int = 256) {
        harness = ClientHarness(
            settings: ClientSettings(
                pingSeconds: 0, access: .tokens(TokenVerifier(secret: Self.secret)),
                textBytes: textBytes))
    }

    /// A connection whose connect with these claims was accepted.
    init(connected claims: JSON, device: String = "tv") {
        self.init()
        _ = connect(claims, device: device)
    }

    static func token(_ claims: JSON, secret: [UInt8] = secret) -> String {
        TokenSigner.token(claims.object ?? JSONObject(), secret: secret)
    }

    mutating func connect(_ claims: JSON, device: String = "tv") -> ClientAction {
        receive(
            #"{"id":1,"connect":{"token":"\#(Self.token(claims))","data":{"device":"\#(device)"}}}"#
        )
    }

    mutating func subscribe(
        _ channel: String, token: JSON? = nil, role: String? = nil, id: UInt32 = 2,
        at milliseconds: Int64 = 0
    ) -> ClientAction {
        var fields = JSONObject()
        fields.append("channel", .string(channel))
        fields.append("token", ifPresent: token.map { .string(Self.token($0)) })
        fields.append("data", ifPresent: role.map { ["role": .string($0)] })
        return receive(
            JSONWriter.text(of: ["id": .integer(id), "subscribe": .object(fields)]),
            at: milliseconds)
    }

    /// Subscribes, and has the session admit it.
    mutating func follow(
        _ channel: String, token: JSON? = nil, role: String? = nil, id: UInt32 = 2
    ) {
        let action = subscribe(channel, token: token, role: role, id: id)
        precondition(action.request != nil, "refused: \(action)")
        harness.client.settle(
            command: id, body: .subscribe(Reply.Subscribe(position: nil)))
    }

    mutating func refresh(_ claims: JSON, at milliseconds: Int64 = 0) -> ClientAction {
        receive(
            #"{"id":9,"refresh":{"token":"\#(Self.token(claims))"}}"#, at: milliseconds)
    }

    mutating func subRefresh(
        _ channel: String, _ claims: JSON, at milliseconds: Int64 = 0
    ) -> ClientAction {
        receive(
            #"{"id":9,"sub_refresh":{"channel":"\#(channel)","token":"\#(Self.token(claims))"}}"#,
            at: milliseconds)
    }

    mutating func receive(_ line: String, at milliseconds: Int64 = 0) -> ClientAction {
        do throws(CommandFault) {
            let command = try JSONCodec.decode(Array(line.utf8).span)
            let revocations = revocations
            return harness.client.receive(
                command, at: ClientHarness.instant(milliseconds), isRevoked: revocations.covers)
        } catch {
            return harness.client.receive(error)
        }
    }
}

extension ClientAction {
    /// The seconds that an answer gives a token.
    var ttl: UInt32? {
        guard case .reply(let reply) = self else { return nil }
        return switch reply.body {
        case .connect(let result): result.ttl
        case .refresh(let ttl), .subRefresh(let ttl): ttl
        default: nil
        }
    }

    /// The answer, and the channels whose sessions are told of an end, with why.
    var ended: (body: Reply.Body?, channels: [Channel], why: [Unsubscribe?])? {
        guard case .end(let requests, let reply) = self else { return nil }
        var (channels, why): ([Channel], [Unsubscribe?]) = ([], [])
        for case .unsubscribe(let channel, let reason) in requests.map(\.call) {
            channels.append(channel)
            why.append(reason)
        }
        return (reply?.body, channels, why)
    }

    /// The caller as the session sees it.
    var caller: Caller? { request?.caller }
}

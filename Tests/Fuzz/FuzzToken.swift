// The entry of a libFuzzer run over tokens: their parts, their claims, and what a connection makes of
// them. Built by Scripts/fuzz.sh together with the sources it is about.

internal import Security

private let secret = Array("0123456789abcdef0123456789abcdef".utf8)
private let now = Instant(milliseconds: 1_700_000_000_000)
private let verifier = TokenVerifier(secret: secret)
private let strict = TokenVerifier(secret: secret, audience: "a", issuer: "i")

/// Takes one input as a token, and as the header and the payload of one that is signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    check(String(decoding: bytes, as: UTF8.self))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let header = Array(parts[0])
    let payload = parts.count > 1 ? Array(parts[1]) : []
    let token = signed(header, payload)
    check(token)
    // Of one that is good, no other signature is.
    if (try? verifier.verify(token, at: now)) != nil {
        let forged = signed(header, payload, with: Array("another".utf8))
        precondition((try? verifier.verify(forged, at: now)) == nil, "a forgery is taken")
    }
    play(signed(Array(#"{"alg":"HS256"}"#.utf8), payload))
    return 0
}

private func signed(
    _ header: [UInt8], _ payload: [UInt8], with key: [UInt8] = secret
) -> String {
    let text = Base64URL.text(of: header) + "." + Base64URL.text(of: payload)
    return text + "." + Base64URL.text(of: HMACSHA256.code(of: Array(text.utf8), key: key))
}

private func check(_ token: String) {
    if (try? strict.verify(token, at: now)) != nil {
        precondition((try? verifier.verify(token, at: now)) != nil, "more is demanded, and taken")
    }
    guard let claims = try? verifier.verify(token, at: now) else { return }
    precondition(TokenVerifier.peek(token) == claims, "two readings of one token")
    precondition(claims.user.utf8.count <= 256 && claims.sessions.count <= 1000)
    precondition(claims.device.map { (1...256).contains($0.utf8.count) } ?? true)
    precondition(claims.expires.map { $0 > now } ?? true, "an expired token is taken")
    precondition(claims.info.map { $0.count <= 1024 } ?? true)
    if let info = claims.info {
        precondition((try? JSONParser.parse(info.span)) != nil, "what is shown is no JSON")
    }
}

/// Has a connection show the token wherever one can be shown.
private func play(_ token: String) {
    var client = Client(
        settings: ClientSettings(access: .tokens(verifier)), connection: 1, client: "c", at: now,
        jitter: 0)
    var revocations = Revocations()
    let claims = try? verifier.verify(token, at: now)
    // A subscription token needs a connection of the same person.
    let person = claims.map {
        TokenSigner.token(
            JSONObject([JSONObject.Member(key: "sub", value: .string($0.user))]), secret: secret)
    }
    let shown = claims?.channel == nil ? token : person
    let connect = Command.Request.connect(Command.Connect(token: shown))
    let requests: [Command.Request] = [
        connect, .subscribe(Command.Subscribe(channel: "session:a", token: token)),
        .subscribe(Command.Subscribe(channel: "stage:a")), .refresh(token: token),
        .subRefresh(channel: "session:a", token: token),
        .presence(channel: "session:a"),
    ]
    for (index, request) in requests.enumerated() {
        let action = client.receive(
            Command(id: UInt32(index + 1), request: request), at: now,
            isRevoked: revocations.covers)
        switch action {
        case .reject, .disconnect: return
        case .call(let call, creates: let creates):
            // Nobody gets to a session that no token of theirs names.
            precondition(claims != nil, "a session is asked for nobody")
            precondition(!creates || claims?.mayCreate == true, "a session is made for anybody")
            precondition(call.caller.user == claims?.user)
            client.settle(command: call.command, body: .subscribe(Reply.Subscribe(position: nil)))
        case .none, .reply, .end: break
        }
    }
    if client.deadline < .never { _ = client.tick(at: client.deadline) }
    if let claims {
        revocations.add(Revocation(.user(claims.user), at: .never))
        precondition(revocations.covers(claims), "a revoked token counts")
    }
}

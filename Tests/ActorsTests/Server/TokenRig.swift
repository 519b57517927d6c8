import Actors
import Coordinator
import TestSupport

/// A server that wants tokens on a loop that the test moves, 1,000 s after 1970.
struct TokenRig {
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    let loop = ManualEventLoop(now: Instant(milliseconds: 1_000_000))
    let sink = MemoryLogSink()
    let server: Server

    init(_ configure: (inout ServerSettings) -> Void = { _ in }) {
        let system = SessionSystem(
            loop: loop, store: MemoryStore(loop: loop), settings: SessionSettings(),
            idleSeconds: 60, maximumSessions: 100)
        server = Server(
            loop: loop, sessions: system, settings: Self.settings(configure),
            log: Log(level: .debug, sink: sink))
        server.start()
    }

    static func settings(
        _ configure: (inout ServerSettings) -> Void = { _ in }
    ) -> ServerSettings {
        var settings = ServerSettings()
        settings.client.access = .tokens(TokenVerifier(secret: secret))
        settings.client.pingSeconds = 0
        configure(&settings)
        return settings
    }

    static func token(_ claims: JSON, secret: [UInt8] = secret) -> String {
        TokenSigner.token(claims.object ?? JSONObject(), secret: secret)
    }

    /// A client that has sent nothing.
    func client() -> ManualStream {
        let stream = ManualStream(loop)
        server.accepted(stream)
        loop.run()
        return stream
    }

    /// A client whose token was accepted.
    func client(_ claims: JSON, device: String = "tv") -> ManualStream {
        let stream = client()
        let lines = stream.send(Self.connect(claims, device: device))
        precondition(lines.count == 1 && lines[0].contains(#""connect":{"#), "\(lines)")
        return stream
    }

    static func connect(_ claims: JSON, device: String = "tv") -> String {
        let token = token(claims)
        return
            #"{"id":1,"connect":{"token":"\#(token)","data":{"device":"\#(device)"}}}"#
    }
}

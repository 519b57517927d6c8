import Coordinator

/// A small generator whose sequence is told by its seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The bytes lent as a string.
func text(_ bytes: Span<UInt8>) -> String {
    var array: [UInt8] = []
    for index in bytes.indices { array.append(bytes[index]) }
    return String(decoding: array, as: UTF8.self)
}

/// What decoding a line gives, as a value that tests compare.
enum Decoded: Equatable {
    case command(Command)
    case disconnect(Disconnect)
    case reply(id: UInt32, ReplyError)
}

func decode(_ bytes: [UInt8]) -> Decoded {
    do throws(CommandFault) {
        return .command(try JSONCodec.decode(bytes.span))
    } catch {
        switch error {
        case .disconnect(let disconnect, detail: _): return .disconnect(disconnect)
        case .reply(let id, let error): return .reply(id: id, error)
        }
    }
}

func decode(_ line: String) -> Decoded {
    decode(Array(line.utf8))
}

func document(_ text: String) throws -> JSONDocument {
    try JSONParser.parse(text: text)
}

/// Commands as text in, actions out, at instants counted from the connection's start.
struct ClientHarness {
    var client: Client
    static let start = Instant(milliseconds: 1_000_000)

    init(settings: ClientSettings = ClientSettings(), jitter: Double = 0) {
        client = Client(
            settings: settings, connection: 7, client: "c-7", at: Self.start, jitter: jitter)
    }

    /// A client that has sent a valid connect as device `phone`.
    static func connected(
        settings: ClientSettings = ClientSettings(), jitter: Double = 0
    ) -> ClientHarness {
        var harness = ClientHarness(settings: settings, jitter: jitter)
        _ = harness.receive(#"{"id":1,"connect":{"data":{"device":"phone"}}}"#)
        return harness
    }

    mutating func receive(_ line: String, at milliseconds: Int64 = 0) -> ClientAction {
        let bytes = Array(line.utf8)
        do throws(CommandFault) {
            let command = try JSONCodec.decode(bytes.span)
            return client.receive(command, at: Self.instant(milliseconds))
        } catch {
            return client.receive(error)
        }
    }

    mutating func tick(at milliseconds: Int64) -> ClientTick {
        client.tick(at: Self.instant(milliseconds))
    }

    static func instant(_ milliseconds: Int64) -> Instant {
        start.advanced(byMilliseconds: milliseconds)
    }
}

extension ClientAction {
    /// The request of a call.
    var request: SessionRequest? {
        guard case .call(let request, creates: _) = self else { return nil }
        return request
    }

    /// The error of an immediate answer.
    var error: ReplyError? {
        guard case .reply(let reply) = self, case .error(let error) = reply.body else {
            return nil
        }
        return error
    }
}

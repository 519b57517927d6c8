import Actors
import Coordinator

/// A client of the HTTP API: one connection, one request at a time.
///
/// Confined to its loop.
final class HTTPClient {
    /// What came back.
    struct Answer {
        var status: Int
        var body: [UInt8]

        /// The body as JSON; `null` when it is none.
        var json: JSON {
            (try? JSONParser.parse(body.span, maximumDepth: HTTPClient.maximumDepth).root) ?? .null
        }
    }

    /// Why nothing came back.
    enum Failure: Error, CustomStringConvertible {
        case unreachable(String)
        case lost(String)
        case nonsense(String)

        var description: String {
            switch self {
            case .unreachable(let why): "cannot connect: \(why)"
            case .lost(let why): "connection lost: \(why)"
            case .nonsense(let what): "not coordd's HTTP API: \(what)"
            }
        }
    }

    /// A state may be as deep as an event, and more is wrapped around it.
    private static let maximumDepth = JSONParser.maximumDepth + 16
    /// How long an answer may take.
    private static let patienceMilliseconds: Int64 = 30_000

    private let loop: UVEventLoop
    private let address: ListenAddress
    private let apiKey: String?
    private let tls: TLSTrust?
    private var stream: (any ByteStream)?
    private var reader = HTTPAnswerReader()
    private var waiting: ((Result<Answer, Failure>) -> Void)?
    private var watchdog: (any LoopTimer)?

    /// A client that connects with its first request, under TLS with `tls`.
    init(loop: UVEventLoop, address: ListenAddress, apiKey: String?, tls: TLSTrust? = nil) {
        self.tls = tls
        self.loop = loop
        self.address = address
        self.apiKey = apiKey
    }

    /// Sends a request without a body; `then` gets its answer once, later.
    func request(
        _ method: String, _ path: String, then: @escaping (Result<Answer, Failure>) -> Void
    ) {
        precondition(waiting == nil, "one request at a time")
        waiting = then
        watchdog = loop.schedule(afterMilliseconds: Self.patienceMilliseconds) { [weak self] in
            self?.end(.lost("no answer within \(Self.patienceMilliseconds / 1000) s"))
        }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\nAccept: application/json\r\n"
        if let apiKey { head += "X-API-Key: \(apiKey)\r\n" }
        let bytes = Array((head + "\r\n").utf8)
        if let stream { return write(bytes, to: stream) }
        let plain = UVStream(on: loop)
        stream = plain
        plain.connect(host: address.numericHost, port: address.port) { [weak self] error in
            guard let self else { return }
            if let error { return end(.unreachable(error.description)) }
            guard let tls else { return begin(bytes, on: plain) }
            let secured = tls.wrap(plain)
            guard waiting != nil else { return secured.close(nil) }
            stream = secured
            secured.begin { [weak self] error in
                if let error { return self?.end(.unreachable(error.call)) ?? () }
                self?.begin(bytes, on: secured)
            }
        }
    }

    private func begin(_ bytes: [UInt8], on stream: any ByteStream) {
        startReading(stream)
        write(bytes, to: stream)
    }

    /// Ends the connection; a request without an answer is forgotten.
    func close() {
        waiting = nil
        watchdog?.cancel()
        watchdog = nil
        stream?.close(nil)
        stream = nil
    }

    private func write(_ bytes: [UInt8], to stream: any ByteStream) {
        stream.write(bytes, from: 0) { [weak self] error in
            if let error { self?.end(.lost(error.description)) }
        }
    }

    private func startReading(_ stream: any ByteStream) {
        stream.startReading { [weak self] event in
            switch event {
            case .bytes(let bytes): self?.received(bytes)
            case .end: self?.end(.lost("the server closed it"))
            case .failed(let error): self?.end(.lost(error.description))
            }
        }
    }

    private func received(_ bytes: Span<UInt8>) {
        do throws(HTTPAnswerReader.Fault) {
            guard let (answer, isLast) = try reader.read(bytes) else { return }
            guard let then = waiting else { return end(.nonsense("an answer to nothing")) }
            waiting = nil
            watchdog?.cancel()
            if isLast { close() }
            then(.success(answer))
        } catch {
            end(.nonsense(error.words))
        }
    }

    private func end(_ failure: Failure) {
        let then = waiting
        close()
        reader = HTTPAnswerReader()
        then?(.failure(failure))
    }
}

import Actors
import Coordinator
import Glibc
import TLS
import TestSupport
import Testing

/// The server's listener with TLS, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct TLSServerTests {
    /// A server with both listeners, and the folder of its certificate.
    private func withTLS<Result>(
        chain: String = TestCertificates.chain, key: String = TestCertificates.key,
        _ configure: (inout TestServer.Options) -> Void = { _ in },
        _ body: (TestServer, TestFolder) async throws -> Result
    ) async throws -> Result {
        let folder = try TestFolder()
        try folder.write(Array(chain.utf8), to: "chain.pem")
        try folder.write(Array(key.utf8), to: "key.pem")
        return try await withServer {
            configure(&$0)
            $0.tls = TLSFiles(certificate: folder.file("chain.pem"), key: folder.file("key.pem"))
        } _: { server in
            try await body(server, folder)
        }
    }

    private func secured(_ server: TestServer) throws -> RawClient {
        let client = try RawClient(port: server.tlsPort)
        try client.secure()
        return client
    }

    /// The number of a series on the metrics page.
    private func metric(_ server: TestServer, _ series: String) throws -> Int? {
        let body = try RawClient(port: server.port).get("/metrics").body
        let line = body.split(separator: "\n").first { $0.hasPrefix("coordd_\(series) ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) }
    }

    // MARK: Carriers

    @Test func `the line protocol works under TLS`() async throws {
        try await withTLS { server, _ in
            let client = try secured(server)
            #expect(try client.call(#""connect":{"data":{"device":"d"}}"#).code == nil)
            #expect(try client.subscribe("a").code == nil)
            let answer = try client.apply(#"{"type":"orientation.set","lock":"portrait"}"#, to: "a")
            #expect(answer.code != 107)
            #expect(client.version == .tls13)
            #expect(try metric(server, "tls_connections") == 1)
            #expect(
                try metric(server, #"tls_handshakes_total{version="1.3",resumed="false"}"#) == 1)
        }
    }

    @Test func `HTTP works under TLS, one request after the other`() async throws {
        try await withTLS { server, _ in
            let client = try secured(server)
            for _ in 0..<3 { #expect(try client.get("/healthz").status == 200) }
            client.request("GET", "/readyz", "Connection: close")
            #expect(try client.httpAnswer().status == 200)
            // close_notify, and then the end of the connection.
            #expect(client.rest().end == .ended)
        }
    }

    @Test func `WebSockets work under TLS`() async throws {
        try await withTLS { server, _ in
            let socket = try RawWebSocket(port: server.tlsPort, isTLS: true)
            #expect(socket.answer.status == 101)
            #expect(try socket.call(#""connect":{}"#).code == nil)
            socket.send(0x88, [0x03, 0xE8])
            #expect(try socket.client.bytes(2) == [0x88, 0x02])
        }
    }

    @Test func `a publication reaches mirrors on both listeners`() async throws {
        try await withTLS { server, _ in
            let plain = try RawClient(port: server.port, device: "plain")
            let secure = try secured(server)
            try secure.call(#""connect":{"data":{"device":"secure"}}"#)
            try plain.subscribe("a")
            try secure.subscribe("a")
            let phone = try RawClient(port: server.tlsPort)
            try phone.secure()
            try phone.call(#""connect":{"data":{"device":"phone"}}"#)
            try phone.attach("a")
            #expect(try secure.apply(#"{"type":"fullscreen.toggle"}"#, to: "a").code == nil)
            let pushes = try [plain.push(), secure.push()]
            #expect(pushes[0] == pushes[1])
            #expect(pushes[0].kind == "pub")
            #expect(await server.connectionCount == 3)
        }
    }

    @Test func `what comes byte by byte is understood`() async throws {
        try await withTLS { server, _ in
            let client = try secured(server)
            let request = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            for byte in request { client.send(bytes: [byte]) }
            #expect(try client.httpAnswer().status == 200)
        }
    }

    // MARK: Ends

    @Test func `a client that says the end gets what it is owed, and the server's end`()
        async throws
    {
        try await withTLS { server, _ in
            let client = try secured(server)
            client.begin(#""connect":{"data":{"device":"d"}}"#)
            for _ in 0..<50 {
                client.begin(#""rpc":{"method":"session.state","data":{"session":"a"}}"#)
            }
            client.sayEnd()
            let (lines, end) = client.rest()
            #expect(lines.count == 51)
            #expect(end == .ended)
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            #expect(try metric(server, #"tls_failures_total{reason="truncated"}"#) == 0)
        }
    }

    @Test func `an end without close_notify is seen as a truncation`() async throws {
        try await withTLS { server, _ in
            let client = try secured(server)
            try client.call(#""connect":{}"#)
            client.endSending()
            #expect(client.rest().end != .silent)
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            #expect(try metric(server, #"tls_failures_total{reason="truncated"}"#) == 1)
        }
    }

    @Test func `a server that ends a connection says so in TLS`() async throws {
        try await withTLS { server, _ in
            let client = try secured(server)
            client.send("nonsense")
            #expect(try client.line().contains("107"))
            #expect(client.rest().end == .ended)
        }
    }

    // MARK: Wrong ports

    @Test func `plaintext on the port of TLS is told so, in its own words`() async throws {
        try await withTLS { server, _ in
            let line = try RawClient(port: server.tlsPort)
            line.send(#"{"id":1,"connect":{}}"#)
            #expect(
                try line.line()
                    == #"{"error":{"code":107,"message":"bad request: this port speaks TLS only"}}"#
            )
            #expect(line.rest().end == .ended)
            let http = try RawClient(port: server.tlsPort)
            #expect(try http.get("/healthz").status == 400)
            #expect(http.rest().end == .ended)
            let other = try RawClient(port: server.tlsPort)
            other.send("SSH-2.0-x")
            #expect(other.rest().lines.isEmpty)
            #expect(try metric(server, #"tls_failures_total{reason="plaintext"}"#) == 3)
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `TLS on the port of plaintext ends at once and is counted`() async throws {
        try await withTLS { server, _ in
            let client = try RawClient(port: server.port)
            #expect(throws: RawClient.Failure.self) { try client.secure() }
            #expect(try metric(server, #"unknown_carriers_total{kind="tls"}"#) == 1)
        }
    }

    @Test func `a hundred clients on the wrong ports leave nothing in the log`() async throws {
        let sink = MemoryLogSink()
        try await withTLS {
            $0.sink = sink
        } _: { server, _ in
            for _ in 0..<100 {
                let client = try RawClient(port: server.tlsPort)
                client.send("GET / HTTP/1.1\r\n\r\n")
                _ = client.rest()
                let tls = try RawClient(port: server.port)
                try? tls.secure()
            }
        }
        let lines = await sink.finish()
        #expect(lines.filter { $0.level > .debug } == [])
    }

    // MARK: Handshakes

    @Test func `a handshake that does not come to its end is cut off in time`() async throws {
        try await withTLS {
            $0.server.client.connectSeconds = 1
        } _: { server, _ in
            let silent = try RawClient(port: server.tlsPort)
            let slow = try RawClient(port: server.tlsPort)
            slow.sendRaw([22, 3, 1, 2, 0, 1])
            #expect(silent.rest().end != .silent)
            #expect(slow.rest().end != .silent)
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            #expect(try metric(server, #"tls_failures_total{reason="unfinished"}"#) == 2)
        }
    }

    @Test func `the caps are about the connections of both listeners`() async throws {
        try await withTLS {
            $0.server.connections = 2
        } _: { server, _ in
            let first = try RawClient(port: server.port, device: "a")
            let second = try secured(server)
            try second.call(#""connect":{}"#)
            // Refused without a handshake.
            let third = try RawClient(port: server.tlsPort)
            #expect(throws: RawClient.Failure.self) { try third.secure() }
            first.close()
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            #expect(try secured(server).get("/healthz").status == 200)
        }
    }

    @Test func `the cap of an address is about both listeners, too`() async throws {
        try await withTLS {
            $0.server.connectionsPerAddress = 1
        } _: { server, _ in
            let first = try RawClient(port: server.port, device: "a")
            let second = try RawClient(port: server.tlsPort)
            #expect(throws: RawClient.Failure.self) { try second.secure() }
            let other = try RawClient(port: server.tlsPort, host: 2)
            try other.secure()
            withExtendedLifetime(first) {}
        }
    }

    @Test func `random bytes in the middle of a connection end it, and nobody else's`() async throws
    {
        try await withTLS { server, _ in
            let bystander = try secured(server)
            try bystander.call(#""connect":{"data":{"device":"b"}}"#)
            var random = SplitMix(seed: 17)
            for _ in 0..<50 {
                let client = try secured(server)
                if random.next() % 2 == 0 { try client.call(#""connect":{}"#) }
                let count = Int(random.next() % 2000) + 1
                client.sendRaw((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
                client.endSending()
                #expect(client.rest().end != .silent)
            }
            #expect(try bystander.subscribe("a").code == nil)
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
        }
    }

    // MARK: Writing

    @Test func `a reader that is too slow is cut off under TLS, too`() async throws {
        try await withTLS {
            $0.server.outboundBytes = 65_536
        } _: { server, _ in
            let reader = try RawClient(port: server.tlsPort, receiveBytes: 4096)
            try reader.secure()
            try reader.call(#""connect":{"data":{"device":"reader"}}"#)
            try reader.subscribe("a")
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.attach("a")
            let padding = String(repeating: "x", count: 30_000)
            let event = #"{"type":"bridge","handler":"page","body":"\#(padding)"}"#
            var signals = 0
            while signals < 2000, await server.connectionCount == 2 {
                #expect(try phone.apply(event, to: "a").code == nil)
                signals += 1
            }
            #expect(await server.connectionCount == 1)
            phone.close()
            #expect(try metric(server, "slow_disconnects_total") == 1)
            // What the kernel had taken is there, and then the reset.
            var end: RawClient.Failure?
            while end == nil {
                do throws(RawClient.Failure) { _ = try reader.bytes(1000) } catch { end = error }
            }
            #expect(end == .reset)
        }
    }

    @Test func `answers that are longer than the kernel's buffers arrive whole`() async throws {
        try await withTLS {
            $0.server.echoes = true; $0.server.messageBytes = 1 << 20
            // Echoes need no connect, whose time would be over on a busy machine.
            $0.server.client.connectSeconds = 600
        } _: {
            server, _ in
            let socket = try RawWebSocket(port: server.tlsPort, isTLS: true)
            let message = (0..<700_000).map { UInt8(97 + $0 % 26) }
            socket.send(0x81, message)
            let frame = try socket.frame()
            #expect(frame.payload == message)
            socket.send(0x81, Array("short".utf8))
            #expect(try socket.frame().text == "short")
        }
    }

    // MARK: Certificates

    @Test func `a new certificate is for new connections, old ones live on`() async throws {
        try await withTLS { server, folder in
            let old = try secured(server)
            #expect(old.certificateSubject == "/CN=localhost")
            try folder.write(Array(TestCertificates.nextChain.utf8), to: "chain.pem")
            // The key does not match: nothing changes.
            let problem = await server.reloadTLS()
            let key = folder.file("key.pem")
            #expect(
                problem == "\(key): the key does not match the first certificate in "
                    + folder.file("chain.pem"))
            #expect(try secured(server).certificateSubject == "/CN=localhost")
            try folder.write(Array(TestCertificates.nextKey.utf8), to: "key.pem")
            #expect(await server.reloadTLS() == nil)
            let new = try secured(server)
            #expect(new.certificateSubject == "/CN=coordd test next")
            #expect(try old.get("/healthz").status == 200)
            #expect(try new.get("/healthz").status == 200)
            folder.unlinkFile("key.pem")
            #expect(
                await server.reloadTLS() == "\(key) cannot be read: No such file or directory")
            #expect(try secured(server).certificateSubject == "/CN=coordd test next")
        }
    }

    @Test func `files that nobody could use, or that keep a reader waiting, change nothing`()
        async throws
    {
        try await withTLS { server, folder in
            let chain = folder.file("chain.pem")
            let many = (0..<200).map { _ in TestCertificates.chain }.joined(separator: "\n")
            try folder.write(Array(many.utf8), to: "chain.pem")
            #expect(
                await server.reloadTLS()
                    == "\(chain) cannot be read: longer than 65536 bytes")
            folder.unlinkFile("chain.pem")
            #expect(unsafe mkfifo(chain, 0o600) == 0)
            #expect(await server.reloadTLS() == "\(chain) cannot be read: not a regular file")
            #expect(try secured(server).get("/healthz").status == 200)
        }
    }

    @Test func `a drain sends clients under TLS away, too`() async throws {
        try await withTLS {
            $0.server.drainSeconds = 0
        } _: { server, _ in
            let client = try secured(server)
            try client.call(#""connect":{"data":{"device":"d"}}"#)
            let half = try RawClient(port: server.tlsPort)
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
            await server.drain()
            #expect(try client.push().kind == "disconnect")
            #expect(client.rest().end == .ended)
            #expect(half.rest().end != .silent)
            client.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }
}

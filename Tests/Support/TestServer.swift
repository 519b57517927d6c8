package import Actors
package import Coordinator

/// The real server on a loop and a free port of this machine.
package final class TestServer: Sendable {
    /// The numbers of a server under test.
    package struct Options {
        /// The listening side.
        package var server = ServerSettings()
        /// Each session.
        package var session = SessionSettings()
        /// `sessions.idleSeconds`.
        package var idleSeconds: Int64 = 60
        /// `limits.sessions`.
        package var maximumSessions = 10_000
        /// `limits.sessionsPerUser`.
        package var sessionsPerUser = 0
        /// Files of a certificate and its key; with them there is a listener with TLS.
        package var tls: TLSFiles?
        /// What is served over HTTP.
        package var routes = HTTPRoutes.standard
        /// Where the log goes.
        package var sink = MemoryLogSink()
        /// Event loops; tests that say nothing run with as many as `COORDD_TEST_LOOPS` says, or one.
        package var loops =
            ProcessFacts.environment["COORDD_TEST_LOOPS"].flatMap { Int($0) } ?? 1
    }

    private struct Parts {
        var store: any Store
        var shards: Shards
        var tls: TLSEndpoint?
    }

    /// The first loop, which is the only one unless a test wants more.
    package let loop: UVEventLoop
    /// The port it listens on.
    package let port: UInt16
    /// The port with TLS; 0 without.
    package let tlsPort: UInt16
    private let parts: LoopBound<Parts>

    private init(
        loop: UVEventLoop, port: UInt16, tlsPort: UInt16, parts: LoopBound<Parts>
    ) {
        self.loop = loop
        self.port = port
        self.tlsPort = tlsPort
        self.parts = parts
    }

    fileprivate static func start(
        on loops: [UVEventLoop], _ options: sending Options
    ) async throws -> TestServer {
        let loop = loops[0]
        var settings = Shards.Options(log: Log(level: .debug, sink: options.sink))
        (settings.server, settings.session) = (options.server, options.session)
        settings.idleSeconds = options.idleSeconds
        settings.maximumSessions = options.maximumSessions
        settings.sessionsPerUser = options.sessionsPerUser
        settings.routes = options.routes
        let (chosen, files) = (settings, options.tls)
        let parts = await loop.result { done in
            let store = MemoryStore(loop: loop)
            Shards.open(on: loops, over: store, chosen) { shards in
                done(LoopBound(Parts(store: store, shards: shards), on: loop))
            }
        }
        return try await loop.attempt { done in
            let server = parts.withValue { $0.shards.server }
            let address = try server.listen(on: UVListener(on: loop, host: "127.0.0.1", port: 0))
            let port = UInt16(address.drop { $0 != ":" }.dropFirst()) ?? 0
            var (tls, tlsPort): (TLSEndpoint?, UInt16) = (nil, 0)
            if let files {
                let endpoint = try TLSEndpoint(files, at: loop.now)
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                tlsPort = listener.address.port
                _ = try server.listen(on: listener, tls: endpoint)
                tls = endpoint
            }
            parts.withValue { $0.tls = tls }
            done(TestServer(loop: loop, port: port, tlsPort: tlsPort, parts: parts))
        }
    }

    fileprivate func close() async {
        await loop.result { done in
            let shards = self.parts.withValue { $0.shards }
            shards.close {
                shards.part()
                done(())
            }
        }
    }

    /// Connections now.
    package var connectionCount: Int {
        get async { await read { $0.shards.server.connectionCount } }
    }

    /// Connections of each loop now.
    package var connectionsByLoop: [Int] {
        get async {
            await loop.result { done in
                self.parts.withValue { $0.shards }.countConnections(done)
            }
        }
    }

    /// Sessions with an actor now.
    package var activeSessions: Int {
        get async {
            await loop.result { done in self.parts.withValue { $0.shards }.countActive(done) }
        }
    }

    /// Sessions in the store.
    package var storedSessions: Int {
        get async { await read { $0.store.count } }
    }

    /// Takes tokens back.
    package func revoke(_ subject: RevokedSubject) async -> Result<Int, ReplyError> {
        await loop.result { done in
            self.parts.withValue { $0.shards.server }.revoke(subject) { done($0) }
        }
    }

    /// Starts to drain; calls `completion` on the loop when the last connection is gone.
    package func drain(_ completion: @escaping @Sendable () -> Void = {}) async {
        await loop.result { done in
            self.parts.withValue { $0.shards.server }.drain(completion)
            done(())
        }
    }

    /// Reports a reason why the server is not ready, or that it is gone.
    package func setHealth(_ component: Health.Component, _ reason: String?) async {
        await loop.result { done in
            let health = self.parts.withValue { $0.shards.server }.health
            if let reason { health.report(component, reason) } else { health.clear(component) }
            done(())
        }
    }

    /// Adds a note to the server's health.
    package func noteHealth(_ text: String) async {
        await loop.result { done in
            self.parts.withValue { $0.shards.server }.health.note(text)
            done(())
        }
    }

    /// The status that a client of another address would get.
    package func httpStatus(_ path: String, from peer: String) async -> Int {
        await loop.result { done in
            let request = HTTPRequest(
                method: "GET", path: path, query: nil, isVersion11: true, fields: HTTPFields(),
                host: "a")
            let context = HTTPRoutes.Context(
                server: self.parts.withValue { $0.shards.server }, peer: peer)
            HTTPRoutes.standard.answer(request, context) { done($0.status.rawValue) }
        }
    }

    /// Reads the certificate and its key anew; gives what is wrong with them.
    package func reloadTLS() async -> String? {
        await loop.result { done in
            do throws(TLSFiles.Problem) {
                try self.parts.withValue { $0.tls }?.reload(at: self.loop.now)
                done(nil)
            } catch {
                done(error.description)
            }
        }
    }

    private func read(_ count: @escaping @Sendable (Parts) -> Int) async -> Int {
        await loop.result { done in done(self.parts.withValue { count($0) }) }
    }

    /// Lets the loop turn until a count is as wanted; gives the last one after very many turns.
    package func settled(
        _ wanted: Int, _ count: (TestServer) async -> Int
    ) async -> Int {
        var last = await count(self)
        for _ in 0..<200_000 where last != wanted { last = await count(self) }
        return last
    }
}

/// Runs `body`, which may block, against a server, and closes the server afterwards.
package func withServer<Result>(
    _ configure: (inout TestServer.Options) -> Void = { _ in },
    _ body: (TestServer) async throws -> Result
) async throws -> Result {
    var options = TestServer.Options()
    configure(&options)
    let chosen = options
    return try await withEventLoops(chosen.loops, "test server") { loops in
        let server = try await TestServer.start(on: loops, chosen)
        let result: Result
        do {
            result = try await onBlockingThread { try await body(server) }
        } catch {
            await server.close()
            throw error
        }
        await server.close()
        return result
    }
}

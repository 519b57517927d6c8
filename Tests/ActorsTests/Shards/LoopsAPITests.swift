import Actors
import Coordinator
import TestSupport
import Testing

/// What there is one of, however many loops there are: caps, tokens, the HTTP API.
@Suite(.timeLimit(.minutes(5)))
struct LoopsAPITests {
    private static let threads = 8

    @Test func `no more sessions are made than may be, by all loops at once`() async throws {
        let limit = 40
        try await withServer {
            $0.loops = 2
            $0.maximumSessions = limit
        } _: { server in
            let codes = Locked<[UInt32?]>([])
            let port = server.port
            onThreads(Self.threads) { thread in
                guard let client = try? RawClient(port: port, device: "tv-\(thread)") else {
                    return
                }
                for number in 0..<20 {
                    let answer = try? client.subscribe("s-\(thread)-\(number)")
                    codes.withLock { $0.append(answer?.code) }
                }
            }
            let all = codes.withLock { $0 }
            #expect(all.count == 20 * Self.threads)
            #expect(all.count { $0 == nil } == limit)
            #expect(all.count { $0 == 106 } == all.count - limit)
            #expect(await server.storedSessions == limit)
            // Whoever makes room has it for all.
            let client = try RawClient(port: server.port)
            let listed = try client.ask("GET", "/v1/sessions?limit=1").json
            let first = try #require(listed["sessions"]?.array?.first?["session"]?.string)
            #expect(try client.ask("DELETE", "/v1/sessions/\(first)").status == 204)
            let other = try RawClient(port: server.port, device: "tv")
            #expect(try other.subscribe("one-more").code == nil)
            #expect(try other.subscribe("two-more").code == 106)
        }
    }

    @Test func `no user makes more sessions than they may, on all loops at once`() async throws {
        try await withServer {
            $0.loops = 2
            $0.sessionsPerUser = 3
            $0.server.client.access = .tokens(TokenVerifier(secret: TokenRig.secret))
        } _: { server in
            let codes = Locked<[UInt32?]>([])
            let port = server.port
            onThreads(Self.threads) { thread in
                let claims: JSON = ["sub": "ann", "sessions": ["*"], "create": true]
                guard let client = try? RawClient(port: port),
                    let connected = try? client.call(
                        #""connect":{"token":"\#(TokenRig.token(claims))"}"#),
                    connected.code == nil
                else { return }
                let ids = (0..<5).map { number in
                    client.begin(#""subscribe":{"channel":"session:s-\#(thread)-\#(number)"}"#)
                }
                for id in ids {
                    let answer = try? client.answer(to: id)
                    codes.withLock { $0.append(answer?.code) }
                }
            }
            let all = codes.withLock { $0 }
            #expect(all.count == 5 * Self.threads)
            #expect(all.count { $0 == nil } == 3)
            #expect(all.count { $0 == 106 } == all.count - 3)
        }
    }

    @Test func `a revocation ends the connections of all loops`() async throws {
        let gone = #"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#
        try await withServer {
            $0.loops = 2
            $0.server.client.access = .tokens(TokenVerifier(secret: TokenRig.secret))
        } _: { server in
            func client(_ user: String, _ name: String) throws -> RawClient {
                let claims: JSON = ["sub": .string(user), "sessions": ["*"], "create": true]
                let client = try RawClient(port: server.port)
                try client.call(#""connect":{"token":"\#(TokenRig.token(claims))"}"#)
                #expect(try client.subscribe(name).code == nil)
                return client
            }
            let hers = try (0..<6).map { try client("ann", LoopNames.both[$0 % 2]) }
            let his = try LoopNames.both.map { try client("bob", $0) }
            #expect(await server.revoke(.user("ann")) == .success(6))
            for client in hers { #expect(client.rest().lines == [gone]) }
            for _ in 0..<2 {
                let again = try RawClient(port: server.port)
                let token = TokenRig.token(["sub": "ann", "sessions": ["*"]])
                again.send(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
                #expect(again.rest().lines == [gone])
            }
            for (client, name) in zip(his, LoopNames.both) {
                #expect(try client.rpc("session.state", name).code == nil)
            }
        }
    }

    @Test func `the HTTP API reaches every session from every connection`() async throws {
        try await withServer {
            $0.loops = 2
        } _: { server in
            let tv = try RawClient(port: server.port, device: "tv")
            let names = (LoopNames.at(0, 3) + LoopNames.at(1, 3)).sorted {
                Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
            }
            for name in names { try tv.subscribe(name) }
            let event = #"{"event":{"type":"fullscreen.toggle"}}"#
            // Of these connections each loop has two.
            for _ in 0..<4 {
                let api = try RawClient(port: server.port)
                var found: [String] = []
                var after: String? = ""
                while let start = after {
                    let page = try api.ask("GET", "/v1/sessions?limit=4&after=\(start)").json
                    for row in page["sessions"]?.array ?? [] {
                        found.append(row["session"]?.string ?? "")
                        #expect(row.unsigned("clients") == 1)
                    }
                    after = page["next"]?.string
                }
                #expect(found == names)
                for name in names {
                    let applied = try api.ask(
                        "POST", "/v1/sessions/\(name)/events", event)
                    #expect(applied.status == 200)
                    let shown = try api.ask("GET", "/v1/sessions/\(name)").json
                    #expect(shown["rev"] == applied.json["rev"])
                }
                let page = try api.get("/metrics").body
                #expect(page.contains("\ncoordd_sessions_active 6\n"))
                #expect(page.contains("\ncoordd_sessions{state=\"attached\"} 6\n"))
                #expect(page.contains("\ncoordd_connections{carrier=\"line\"} 1\n"))
            }
            let api = try RawClient(port: server.port)
            #expect(try api.get("/metrics").body.contains("\ncoordd_publications_total 24\n"))
            for name in names {
                #expect(try api.ask("DELETE", "/v1/sessions/\(name)").status == 204)
                #expect(try api.ask("GET", "/v1/sessions/\(name)").status == 404)
            }
            #expect(try api.ask("GET", "/v1/sessions").json["sessions"] == [])
        }
    }

    @Test func `every loop says whether the server is ready`() async throws {
        try await withServer {
            $0.loops = 2
        } _: { server in
            await server.setHealth(.store, "the disk is full")
            for _ in 0..<4 {
                let status = try RawClient(port: server.port).get("/readyz").status
                #expect(status == 503)
            }
            await server.setHealth(.store, nil)
            for _ in 0..<4 {
                let status = try RawClient(port: server.port).get("/readyz").status
                #expect(status == 200)
            }
        }
    }
}

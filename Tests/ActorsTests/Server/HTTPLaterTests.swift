import Actors
import Coordinator
import TestSupport
import Testing

/// Answers that are given later than the request came, as those of sessions will be.
@Suite(.timeLimit(.minutes(5)))
struct HTTPLaterTests {
    /// Requests of `/later` that wait, and the bodies they came with.
    private final class Waiting: Sendable {
        private let answers = Locked<[@Sendable () -> Void]>([])

        func add(_ answer: @escaping @Sendable () -> Void) {
            answers.withLock { $0.append(answer) }
        }

        var count: Int { answers.withLock { $0.count } }

        /// Answers all, on the loop.
        func release(on server: TestServer) async {
            let all = answers.withLock { answers in
                defer { answers = [] }
                return answers
            }
            await server.loop.result { done in
                for answer in all { answer() }
                done(())
            }
        }
    }

    private func routes(_ waiting: Waiting) -> HTTPRoutes {
        HTTPRoutes([
            HTTPRoute(
                "POST", "/later",
                later: { request, _, completion in
                    nonisolated(unsafe) let completion = completion
                    waiting.add {
                        unsafe completion(
                            HTTPResponse(.ok, contentType: "text/plain", body: request.body))
                    }
                }),
            HTTPRoute("GET", "/now") { _, _ in
                HTTPResponse(.ok, contentType: "text/plain", body: Array("now".utf8))
            },
        ])
    }

    private func post(_ body: String) -> [UInt8] {
        Array(
            "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
    }

    private let get = Array("GET /now HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    @Test func `what is asked behind a slow answer waits for it`() async throws {
        let waiting = Waiting()
        try await withServer {
            $0.routes = routes(waiting)
            // Where the test answers.
            $0.loops = 1
            // No deadline runs while the server itself takes its time.
            $0.server.client.connectSeconds = 1
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: get + post("one") + get + post("two") + get)
            #expect(try client.httpAnswer().body == "now")
            #expect(await server.settled(1) { _ in waiting.count } == 1)
            client.send(bytes: get)
            await waiting.release(on: server)
            #expect(try client.httpAnswer().body == "one")
            #expect(try client.httpAnswer().body == "now")
            #expect(await server.settled(1) { _ in waiting.count } == 1)
            await waiting.release(on: server)
            #expect(try client.httpAnswer().body == "two")
            #expect(try client.httpAnswer().body == "now")
            #expect(try client.httpAnswer().body == "now")
        }
    }

    @Test func `an answer is owed after the end of the input too`() async throws {
        let waiting = Waiting()
        try await withServer {
            $0.routes = routes(waiting)
            // Where the test answers.
            $0.loops = 1
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: post("one") + get)
            client.endSending()
            #expect(await server.settled(1) { _ in waiting.count } == 1)
            await waiting.release(on: server)
            #expect(try client.httpAnswer().body == "one")
            #expect(try client.httpAnswer().body == "now")
            #expect(client.rest().end == .ended)
            client.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `an answer to somebody who has gone harms nobody`() async throws {
        let waiting = Waiting()
        try await withServer {
            $0.routes = routes(waiting)
            // Where the test answers.
            $0.loops = 1
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: post("one"))
            #expect(await server.settled(1) { _ in waiting.count } == 1)
            client.abort()
            await waiting.release(on: server)
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            let other = try RawClient(port: server.port)
            other.send(bytes: get)
            #expect(try other.httpAnswer().body == "now")
        }
    }

    @Test func `a drain waits for the answer and then closes`() async throws {
        let waiting = Waiting()
        try await withServer {
            $0.routes = routes(waiting)
            // Where the test answers.
            $0.loops = 1
            $0.server.drainSeconds = 0
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: post("one") + get)
            #expect(await server.settled(1) { _ in waiting.count } == 1)
            await server.drain()
            await waiting.release(on: server)
            let answer = try client.httpAnswer()
            #expect(answer.body == "one")
            #expect(answer.fields["connection"] == "close")
            #expect(client.rest().end == .ended)
        }
    }
}

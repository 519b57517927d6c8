import Actors
import Coordinator
import TestSupport
import Testing

/// `GET /v1/sessions` (contract: protocol, HTTP).
@Suite(.timeLimit(.minutes(5)))
struct HTTPListingTests {
    @Test func `a row says what the contract lists`() async throws {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            let second = try tv.subscribe("match-2").result
            let first = try tv.subscribe("match-1").result
            let tablet = try RawClient(port: server.port, device: "tablet")
            try tablet.subscribe("match-2")
            try tablet.apply(#"{"type":"betslip.update","stake":"1.00"}"#, to: "match-2")
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.attach("match-2")
            try phone.apply(
                #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"f1"}}"#,
                to: "match-2")
            let api = try RawClient(port: server.port)
            let answer = try api.ask("GET", "/v1/sessions")
            #expect(answer.status == 200)
            let rows = try #require(answer.json["sessions"]?.array)
            try #require(rows.count == 2)
            #expect(
                rows[0] == [
                    "session": "match-1", "epoch": try #require(first["epoch"]), "rev": 0,
                    "vendor": .null, "phase": "idle", "clients": 1, "stored": true,
                ])
            // Two that subscribed, and the phone, which only holds the stage; its attach and its
            // page are two more revisions.
            #expect(
                rows[1] == [
                    "session": "match-2", "epoch": try #require(second["epoch"]), "rev": 3,
                    "vendor": "genius", "phase": "loading", "clients": 3, "stored": true,
                ])
            #expect(answer.json["next"] == .null)
        }
    }

    @Test func `pages follow each other in the order of the ids`() async throws {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            // The order of the bytes: capitals, then small letters, then the tilde.
            let ids = ["B", "a", "a-1", "a.1", "a1", "aa", "b", "~"]
            for id in ids.shuffled() { try tv.subscribe(id) }
            let order = ids.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            let api = try RawClient(port: server.port)
            for limit in 1...9 {
                var found: [String] = []
                var next: String?
                var pages = 0
                repeat {
                    let after = next.map { "&after=\($0)" } ?? ""
                    let page = try api.ask("GET", "/v1/sessions?limit=\(limit)\(after)").json
                    let rows = page["sessions"]?.array?.compactMap { $0["session"]?.string } ?? []
                    #expect(rows.count <= limit)
                    found += rows
                    next = page["next"]?.string
                    if let next { #expect(next == rows.last) }
                    pages += 1
                } while next != nil
                #expect(found == order, "\(limit)")
                #expect(pages == (ids.count + limit - 1) / limit)
            }
            let after = try api.ask("GET", "/v1/sessions?after=a%2D1").json
            #expect(after["sessions"]?.array?.first?["session"] == "a.1")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "limit=", "limit=-5", "after=%f", "limit=%zz",
        "after=" + String(repeating: "a", count: 129),
    ])
    func `a bad query is 400 and names what is allowed`(query: String) async throws {
        try await withServer { server in
            let api = try RawClient(port: server.port)
            let answer = try api.ask("GET", "/v1/sessions?\(query)")
            #expect(answer.status == 400)
            #expect(answer.json["code"] == 107)
        }
    }

    @Test func `no session is an empty page`() async throws {
        try await withServer { server in
            let api = try RawClient(port: server.port)
            #expect(try api.ask("GET", "/v1/sessions").json == ["sessions": [], "next": .null])
        }
    }

    @Test func `a session whose last client went is still there, without clients`() async throws {
        try await withServer {
            $0.idleSeconds = 1
        } _: { server in
            let tv = try RawClient(port: server.port, device: "tv")
            let epoch = try #require(try tv.subscribe("a").result["epoch"])
            try tv.apply(#"{"type":"betslip.update","stake":"1.00"}"#, to: "a")
            tv.close()
            let api = try RawClient(port: server.port)
            #expect(await server.settled(0) { await $0.activeSessions } == 0)
            #expect(
                try api.ask("GET", "/v1/sessions").json["sessions"] == [
                    [
                        "session": "a", "epoch": epoch, "rev": 1, "vendor": .null,
                        "phase": "idle", "clients": 0, "stored": true,
                    ]
                ])
            // A list wakes nobody.
            #expect(await server.activeSessions == 0)
        }
    }
}

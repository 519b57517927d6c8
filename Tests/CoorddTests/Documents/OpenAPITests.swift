import Actors
import Coordinator
import Testing

/// `Docs/openapi.json` says what the table of routes serves, and nothing else.
@Suite struct OpenAPITests {
    private func document() throws -> JSON {
        let bytes = Array(try ProjectFile("Docs/openapi.json").text().utf8)
        return try JSONParser.parse(bytes.span, maximumDepth: 64).root
    }

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch"]

    /// Every operation by its method and path.
    private func operations(_ document: JSON) -> [String: JSON] {
        var operations: [String: JSON] = [:]
        for path in document["paths"]?.object?.members ?? [] {
            for member in path.value.object?.members ?? [] where Self.methods.contains(member.key) {
                operations["\(member.key.uppercased()) \(path.key)"] = member.value
            }
        }
        return operations
    }

    @Test func `each route is there with its method, and no other`() throws {
        let documented = operations(try document()).keys.sorted()
        let served = HTTPRoutes.standard.table.map { "\($0.method) \($0.path)" }.sorted()
        #expect(documented == served)
    }

    @Test func `each status of a route is there, and no other`() throws {
        let operations = operations(try document())
        for route in HTTPRoutes.standard.table {
            let name = "\(route.method) \(route.path)"
            let responses = try #require(operations[name]?["responses"]?.object)
            var found = Set(responses.members.map(\.key))
            // What any request can get.
            #expect(found.remove("default") != nil, "\(name)")
            // Not an answer of HTTP any more.
            if route.path == "/connection/websocket" { #expect(found.remove("101") != nil) }
            #expect(found == Set(route.statuses.map { "\($0.rawValue)" }), "\(name)")
        }
    }

    @Test func `each route says whom it is for`() throws {
        let operations = operations(try document())
        for route in HTTPRoutes.standard.table {
            let isLocked = operations["\(route.method) \(route.path)"]?["security"] != nil
            #expect(isLocked == (route.access != .everybody), "\(route.path)")
        }
    }

    @Test func `a path's names are its parameters`() throws {
        for path in try document()["paths"]?.object?.members ?? [] {
            let names = path.key.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            let parameters = path.value["parameters"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == parameters ?? [], "\(path.key)")
        }
    }

    private func bodies(_ path: String) throws -> [[UInt8]] {
        let examples = try document()["paths"]?[path]?["post"]?["requestBody"]?["content"]?[
            "application/json"]?["examples"]?.object?.members
        return try #require(examples).compactMap { $0.value["value"].map(JSONWriter.bytes(of:)) }
    }

    @Test func `example bodies are what the routes read`() throws {
        for body in try bodies("/v1/sessions/{id}/events") {
            let application = try EventBody.read(body)
            _ = try Event.decode(application.event, policy: Policy())
        }
        #expect(
            try bodies("/v1/revoke").map { try RevocationBody.read($0) }
                == [.user("ann"), .tokenID("7f3c")])
    }

    @Test func `example problems have the status and the words of the codes they name`() throws {
        var count = 0
        for operation in operations(try document()).values {
            for response in operation["responses"]?.object?.members ?? [] {
                let content = response.value["content"]?["application/problem+json"]
                guard let example = content?["example"] else { continue }
                count += 1
                let status = try #require(example["status"]?.number?.unsigned)
                if response.key != "default" { #expect(response.key == "\(status)") }
                let known = try #require(HTTPStatus(rawValue: Int(status)))
                #expect(example["title"]?.string == known.phrase)
                guard let code = example["code"]?.number?.unsigned else { continue }
                #expect(HTTPStatus(errorCode: UInt32(code)) == known, "\(example)")
                let isTemporary = example["temporary"]?.bool ?? false
                #expect(isTemporary == [111, 503].contains(code))
            }
        }
        #expect(count > 40)
    }

    @Test func `the codes are those of the protocol`() throws {
        let codes = try document()["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?[
            "enum"]
        #expect(codes == .array(ReplyError.codes.map { .integer($0) }))
    }

    @Test func `every reference leads somewhere`() throws {
        let document = try document()
        for name in References.all(in: document) {
            #expect(References.find(name, in: document) != nil, "\(name)")
        }
    }

    @Test func `the rows of a page have the members that rows have`() throws {
        let row = SessionRow(
            id: "match-1",
            content: .known(epoch: "cICnKMxc", revision: 43, vendor: "genius", phase: "ready"),
            clients: 3)
        let page = try document()["paths"]?["/v1/sessions"]?["get"]?["responses"]?["200"]?[
            "content"]?["application/json"]?["example"]
        #expect(page == ["sessions": [row.json], "next": "match-1"])
        let schema = try document()["components"]?["schemas"]?["SessionRow"]?["properties"]
        let damaged = SessionRow(id: "a", content: .damaged("x")).json
        let members = [row.json, damaged].flatMap { $0.object?.members.map(\.key) ?? [] }
        #expect(Set(members) == Set(schema?.object?.members.map(\.key) ?? []))
    }
}

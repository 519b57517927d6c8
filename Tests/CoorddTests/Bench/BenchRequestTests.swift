import Coordinator
import TestSupport
import Testing
import coordd

@Suite struct BenchRequestTests {
    private static let requests =
        BenchRequest.phone("p \"1\"", of: "s-1", token: "t.t.t")
        + BenchRequest.screen("m1", of: "s-1", token: nil)
        + [.event(BenchMark(number: 4, due: 5), of: "s-1")]

    /// The daemon's reading of it.
    private static func decoded(_ request: BenchRequest) throws -> Coordinator.Command {
        let bytes = Array(request.json(id: 9).utf8)
        return try JSONCodec.decode(bytes.span)
    }

    @Test(arguments: requests)
    func `the daemon reads each request`(request: BenchRequest) throws {
        #expect(try Self.decoded(request).id == 9)
    }

    @Test(arguments: requests)
    func `Protobuf says the same as JSON`(request: BenchRequest) throws {
        // Encoded by a codec that shares nothing with this one.
        var command = try Self.decoded(request)
        if case .connect(var connect) = command.request {
            connect.name = nil
            connect.version = nil
            command.request = .connect(connect)
        }
        #expect(request.protobuf(id: 9) == ProtobufClient.encode(command))
    }

    @Test func `each event has a stake of its own and its mark`() throws {
        let mark = BenchMark(number: 100_001, due: 7)
        guard case .rpc("session.apply", let data) = try Self.decoded(.event(mark, of: "s")).request
        else { return #expect(Bool(false), "no event") }
        let event = try #require(data?.root["event"])
        #expect(event["type"] == "betslip.update")
        #expect(event["stake"] == "2.50")
        #expect(event["mark"] == .string(mark.text))
    }
}

import Coordinator
import Testing

@Suite struct TurnOutputTests {
    private let push = Push.publication(
        channel: "session:a", Publication(offset: 7, data: Array("{}".utf8)))

    /// The push as it is written alone.
    private func alone(_ encoding: WireEncoding) -> [UInt8] {
        var bytes: [UInt8] = []
        encoding.encode(push, into: &bytes)
        return bytes
    }

    @Test(arguments: WireEncoding.allCases)
    func `pieces of one encoding follow each other`(encoding: WireEncoding) {
        var output = TurnOutput()
        let first = output.add(push, in: encoding)
        let second = output.add(push, in: encoding)
        #expect(first.range == 0..<alone(encoding).count)
        #expect(second.range.lowerBound == first.range.upperBound)
        #expect(Array(output[first]) == alone(encoding))
        #expect(Array(output[second]) == alone(encoding))
        #expect(output[encoding] == alone(encoding) + alone(encoding))
    }

    @Test func `each encoding has bytes of its own`() {
        var output = TurnOutput()
        let pieces = WireEncoding.allCases.map { output.add(push, in: $0) }
        #expect(pieces.map(\.encoding) == WireEncoding.allCases)
        for piece in pieces {
            #expect(piece.range.lowerBound == 0)
            #expect(Array(output[piece]) == alone(piece.encoding))
        }
    }

    @Test func `a new turn begins with nothing`() {
        var output = TurnOutput()
        _ = output.add(push, in: .line)
        output.clear()
        #expect(output[.line].isEmpty)
        #expect(output.add(push, in: .line).range.lowerBound == 0)
    }

    @Test func `memory of a turn that had much more to say is freed`() {
        var output = TurnOutput()
        let data = [UInt8](repeating: UInt8(ascii: "1"), count: TurnOutput.keptBytes)
        _ = output.add(
            .publication(channel: "session:a", Publication(offset: 1, data: data)), in: .line)
        output.clear()
        #expect(output[.line].capacity == 0)
        _ = output.add(push, in: .line)
        output.clear()
        #expect(output[.line].capacity > 0)
    }
}

import Coordinator
import TestSupport
import Testing

/// Damaged bytes are refused, or read as something that the rules can work with; never a trap.
@Suite struct StoredMutationTests {
    private static let tokens = [
        "null", "true", "0", "-1", "9223372036854775807", "18446744073709551615", "1e999", "\"\"",
        "[]", "{}", "\"p1\"", "\"AAAA\"", ",", ":", "\"é\"",
    ]

    private static func damage(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0..<12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes[place] = UInt8.random(in: 0x30...0x39, using: &random)
            default:
                // The place of a value: the digits, words or quotes behind a colon.
                guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) else { break }
                let start = colon + 1
                let stop =
                    bytes[start...].firstIndex { [0x2C, 0x7D, 0x5D].contains($0) } ?? bytes.count
                let token = tokens.randomElement(using: &random) ?? ""
                bytes.replaceSubrange(start..<stop, with: token.utf8)
            }
        }
        return bytes
    }

    private static func read<Value>(
        _ bytes: [UInt8], _ make: (JSON) throws -> Value
    ) throws -> Value? {
        do {
            return try make(try JSONParser.parse(bytes.span, maximumDepth: 40).root)
        } catch is JSONError {
            return nil
        } catch is StorageFault {
            return nil
        }
    }

    /// Lets the rules work with what was read.
    private static func use(_ viewing: Viewing) throws {
        var session = TestSession()
        session.viewing = viewing
        session.now = Instant(milliseconds: .max - 1)
        for event in EventSamples.all { _ = try? session.send(event) }
        _ = try? session.attach("phone")
        for event in EventSamples.all { _ = try? session.send(event) }
        _ = session.expire()
        _ = try? session.take("tv")
        var mirror = try StoredMirror(viewing)
        try mirror.fold(session.viewing)
        try mirror.check("after damage")
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `damaged documents never trap`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let vault = try StoredMirror.vault()
        let states = [StoredSamples.state, StoredSamples.emptyState].map { Array($0.utf8) }
        let memories = [
            Array(StoredSamples.openMemory.utf8),
            JSONWriter.bytes(of: try StoredSamples.memory().document(vault)),
        ]
        var accepted = 0
        for number in 0..<2000 {
            let isState = Bool.random(using: &random)
            let origin = (isState ? states : memories)[number % 2]
            let damaged = Self.damage(origin, &random)
            var viewing = Viewing()
            if isState {
                guard let state = try Self.read(damaged, SessionState.init(stored:)) else {
                    continue
                }
                viewing.state = state
            } else {
                guard
                    let memory = try Self.read(damaged, { try SessionMemory(stored: $0, vault) })
                else { continue }
                viewing.memory = memory
            }
            accepted += 1
            if accepted.isMultiple(of: 20) { try Self.use(viewing) }
        }
        #expect(accepted > 0, "seed \(seed)")
    }
}

/// Numbered messages of random lengths, to be sent in chunks that ignore their borders.
struct Messages {
    let bytes: [UInt8]
    private var position = 0
    private var generator: Generator

    /// A linear congruential generator (Knuth's MMIX constants): the same cuts for the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    init(count: Int, seed: UInt64) {
        var generator = Generator(state: seed)
        var bytes: [UInt8] = []
        for number in 0..<count {
            let padding = String(repeating: "x", count: Int.random(in: 0...400, using: &generator))
            bytes += Array("\(number) \(padding)\n".utf8)
        }
        self.bytes = bytes
        self.generator = generator
    }

    /// The next 1 to 2000 bytes, or nil when all have been given out.
    mutating func nextChunk() -> [UInt8]? {
        guard position < bytes.count else { return nil }
        let end = min(bytes.count, position + Int.random(in: 1...2000, using: &generator))
        defer { position = end }
        return Array(bytes[position..<end])
    }
}

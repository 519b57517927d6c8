/// A small seeded random number generator (SplitMix64), so that a run can be played again.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// A generator of its own for part `index` of a run; parts do not follow each other's sequence.
    package init(seed: UInt64, part index: UInt64) {
        var root = SplitMix64(seed: seed ^ (index &* 0xD6E8_FEB8_6659_FD93))
        state = root.next()
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in `percent` of 100 cases.
    package mutating func chance(_ percent: Int) -> Bool {
        Int(next() % 100) < percent
    }
}

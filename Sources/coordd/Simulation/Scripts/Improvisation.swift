package import Coordinator

/// What scenes choose from: a seeded generator and a memory of their own past.
///
/// Scenes look at nothing else, so a seed gives the same steps however fast the server answers.
package struct Improvisation: Sendable {
    /// The number of the session in its run.
    package let fixture: Int
    /// How the phone is held.
    package var side = PhoneSide.portrait
    /// The bets that the page believes to be on the slip.
    package var slip: [SimulatedSelection] = []
    private var random: SplitMix64
    private let name: String
    private var placements = 0

    /// A beginning; `name` begins every placement id, so that ids of different runs differ.
    package init(seed: UInt64, fixture: Int, name: String) {
        random = SplitMix64(seed: seed, part: UInt64(2 * fixture))
        self.fixture = fixture
        self.name = name
    }

    /// A whole number of a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    /// So many tenths of a point, with a fraction only where there is one.
    package mutating func tenths(in range: ClosedRange<Int>) -> JSON {
        let value = number(in: range)
        return value % 10 == 0
            ? .integer(value / 10) : .number(JSONNumber(text: "\(value / 10).\(value % 10)"))
    }

    /// True in `percent` of 100 cases.
    package mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

    /// One of a few things, of which there is at least one.
    package mutating func one<Value>(of values: Value...) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// The numbers below `count` in another order.
    package mutating func order(below count: Int) -> [Int] {
        (0..<count).shuffled(using: &random)
    }

    /// A new bet.
    package mutating func selection() -> SimulatedSelection {
        SimulatedSelection.random(fixture: fixture, using: &random)
    }

    /// So many turns in a row, as when a phone is passed around.
    package mutating func turns(_ range: ClosedRange<Int>) -> PhoneStep {
        var turns: [PhoneSide] = []
        for _ in 0..<number(in: range) {
            let others = PhoneSide.allCases.filter { $0 != side }
            side = others.randomElement(using: &random) ?? .portrait
            turns.append(side)
        }
        return .rotate(turns)
    }

    /// A placement under a new id.
    package mutating func placement() -> PhoneStep {
        placements += 1
        slip = []
        return .place(id: "\(name)-\(placements)", withConditions: chance(70))
    }
}

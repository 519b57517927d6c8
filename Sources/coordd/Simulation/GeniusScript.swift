/// The choices of a simulated viewer of a Genius player, fixed by a seed.
///
/// The script looks at nothing but its own past, so a seed gives the same steps however fast the
/// server answers.
package struct GeniusScript: Sendable {
    /// Random choices, also for the phone's own small delays.
    private var random: SplitMix64
    private let fixture: Int
    private let name: String
    private var side = PhoneSide.portrait
    private var onVideo = true
    private var slip: [SimulatedSelection] = []
    private var placements = 0
    private var isInBackground = false
    private var deaths = 0

    /// Deaths of the web process in one script; the rules allow three a minute.
    private static let maximumDeaths = 2

    /// A script for session number `fixture` of a run; `name` begins every placement id, so that ids
    /// of different runs differ.
    package init(seed: UInt64, fixture: Int, name: String) {
        random = SplitMix64(seed: seed, part: UInt64(2 * fixture))
        self.fixture = fixture
        self.name = name
    }

    /// The next step.
    package mutating func next() -> PhoneStep {
        if isInBackground {
            isInBackground = false
            return .lifecycle("active")
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: return rotation()
        case 14..<24:
            return .pageFullscreen([true, false, nil].randomElement(using: &random) ?? nil)
        case 24..<36: return open()
        case 36..<48: return add()
        case 48..<62: return odds()
        case 62..<67: return remove()
        case 67..<69: return .closeBetslip
        case 69..<75: return container()
        case 75..<82: return .stake(Int.random(in: 100...50_00, using: &random))
        case 82..<90: return place()
        case 90..<94:
            onVideo.toggle()
            return .tab(onVideo ? "video" : "stats")
        case 94..<97: return .keyboard(random.chance(50) ? 0 : 336)
        case 97 where deaths < Self.maximumDeaths:
            deaths += 1
            return .processDied
        default:
            isInBackground = true
            return .lifecycle("background")
        }
    }

    /// A few turns in a row, as when a phone is passed around.
    private mutating func rotation() -> PhoneStep {
        var turns: [PhoneSide] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let others = PhoneSide.allCases.filter { $0 != side }
            side = others.randomElement(using: &random) ?? .portrait
            turns.append(side)
        }
        return .rotate(turns)
    }

    private mutating func open() -> PhoneStep {
        let selection = SimulatedSelection.random(fixture: fixture, using: &random)
        slip = [selection]
        return .openBetslip(selection)
    }

    private mutating func add() -> PhoneStep {
        guard !slip.isEmpty, slip.count < 6 else { return open() }
        let selection = SimulatedSelection.random(fixture: fixture, using: &random)
        slip.append(selection)
        return .addToBetslip(selection)
    }

    private mutating func odds() -> PhoneStep {
        guard let last = slip.indices.last else { return open() }
        let moved = slip[last].priceCents + Int.random(in: -20...20, using: &random)
        slip[last].priceCents = max(101, moved)
        return .oddsMoved(slip[last].priceCents)
    }

    private mutating func remove() -> PhoneStep {
        guard let index = slip.indices.randomElement(using: &random) else { return open() }
        return .removeFromBetslip(slip.remove(at: index))
    }

    private mutating func container() -> PhoneStep {
        .container(
            top: Int.random(in: 0...900, using: &random),
            left: Int.random(in: 0...900, using: &random),
            width: Int.random(in: 1000...3900, using: &random),
            height: Int.random(in: 1000...5000, using: &random))
    }

    private mutating func place() -> PhoneStep {
        placements += 1
        slip = []
        return .place(id: "\(name)-\(placements)", withConditions: random.chance(70))
    }
}

package import Coordinator

/// The choices of a viewer at a second screen, fixed by a seed: betslip, full-screen and
/// picture-in-picture commands.
///
/// The slip belongs to the session and not to a page, so it is bet with every vendor.
package struct MirrorScript: Sendable {
    private var random: SplitMix64
    private let fixture: Int
    private let name: String
    private let hasPictureInPicture: Bool
    private var placements = 0

    /// A script for one mirror of session number `fixture`; `name` begins every placement id.
    package init(
        seed: UInt64, fixture: Int, mirror: Int, name: String, hasPictureInPicture: Bool = false
    ) {
        self.hasPictureInPicture = hasPictureInPicture
        random = SplitMix64(seed: seed ^ 0x6D69_7272_6F72, part: UInt64(1000 * fixture + mirror))
        self.fixture = fixture
        self.name = name
    }

    /// The next command, for a screen that shows `state`.
    package mutating func next(seeing state: JSON?) -> JSON {
        // One draw decides, so that the sequence does not depend on what the screen shows.
        let choice = Int.random(in: 0..<100, using: &random)
        let selection = SimulatedSelection.random(fixture: fixture, using: &random)
        let cents = Int.random(in: 100...50_00, using: &random)
        switch choice {
        case 0..<12 where hasPictureInPicture: return ["type": "pip.toggle"]
        case 0..<25: return ["type": "fullscreen.toggle"]
        case 25..<40: return ["type": "fullscreen.set", "on": .bool(cents % 2 == 0)]
        case 40..<60:
            let stake = SimulatedSelection.decimalText(cents: cents)
            return ["type": "betslip.update", "stake": .string(stake)]
        case 60..<72: return command("betslip.add", selection.fields(priceAsNumber: false))
        case 72..<78: return command("betslip.open", selection.fields(priceAsNumber: false))
        case 78..<82: return ["type": "betslip.open"]
        case 82..<86: return ["type": "betslip.close"]
        case 86..<88: return ["type": "betslip.cancel"]
        case 88..<94: return remove(from: state, otherwise: selection)
        default:
            placements += 1
            return PhoneEvents.place(
                id: "\(name)-\(placements)", seen: state, withConditions: choice % 2 == 0)
        }
    }

    private func remove(from state: JSON?, otherwise selection: SimulatedSelection) -> JSON {
        guard let shown = state?["betslip"]?["selections"]?.array?.first?.object else {
            return command("betslip.remove", selection.key)
        }
        let members = shown.members.filter { $0.key.hasPrefix("sportsbook") }
        return command("betslip.remove", JSONObject(members))
    }

    private func command(_ type: String, _ fields: JSONObject) -> JSON {
        .object(JSONObject([.init(key: "type", value: .string(type))] + fields.members))
    }
}

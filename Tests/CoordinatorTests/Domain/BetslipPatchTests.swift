import Coordinator
import TestSupport
import Testing

/// The patch of a betslip is found member by member; it must be the one of the whole JSON.
@Suite struct BetslipPatchTests {
    private var random = SplitMix(seed: 0)

    /// Few different texts, some of them of one value, so that much stays equal.
    private static let amounts = ["2", "2.0", "1.85", "10.00", "999999999999999999"].map {
        Amount(text: $0)
    }

    private mutating func selection() throws -> Selection {
        var event: JSONObject = JSONObject()
        event.append("type", "betslip.add")
        event.append("sportsbookSelectionId", Bool.random(using: &random) ? "s1" : "s2")
        let market: [JSON?] = ["m1", "\u{e9}", "e\u{301}", nil]
        event.append("marketId", ifPresent: market[Int(random.next() % 4)])
        let price: [JSON?] = ["2", "2.0", "1.85", "99999999.99999999", nil]
        event.append("decimalPrice", ifPresent: price[Int(random.next() % 5)])
        let decoded = try Event.decode(JSONDocument(root: .object(event)), policy: Policy())
        guard case .betslip(.add(let selection)) = decoded else {
            throw Rejection(code: 0, message: "not an addition")
        }
        return selection
    }

    private mutating func change(_ slip: inout BetslipState) throws {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: slip.visible.toggle()
        case 1: slip.status = [.empty, .open, .placing].randomElement(using: &random) ?? .open
        case 2: slip.revision += 1
        case 3: slip.selections.append(try selection())
        case 4: slip.selections = slip.selections.map { $0 }
        case 5: slip.selections = []
        default:
            slip.stake = Bool.random(using: &random) ? nil : Self.amounts[Int(random.next() % 5)]
        }
    }

    @Test mutating func `a patch is the difference of the JSON byte for byte`() throws {
        for seed in UInt64(0)..<2000 {
            random = SplitMix(seed: seed)
            var (old, new) = (SessionState(), SessionState())
            for _ in 0..<Int(seed % 6) { try change(&old.betslip) }
            new = old
            for _ in 0..<Int(seed % 4) { try change(&new.betslip) }
            // A section that is equal in value is no change, whatever its digits.
            let wanted =
                new.betslip == old.betslip
                ? JSON.object(JSONObject())
                : MergePatch.diff(from: old.json, to: new.json) ?? .object(JSONObject())
            #expect(
                JSONWriter.text(of: new.patch(from: old)) == JSONWriter.text(of: wanted),
                "seed \(seed)")
        }
    }
}

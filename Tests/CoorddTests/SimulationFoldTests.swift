import Coordinator
import Testing
import coordd

@Suite struct SimulationFoldTests {
    /// Appendix A of RFC 7396: document, patch, result.
    static let vectors: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: vectors.indices)
    func `the examples of the standard fold as it says`(index: Int) throws {
        let (document, patch, expected) = Self.vectors[index]
        let folded = Fold.folding(
            try JSONParser.parse(text: patch).root,
            over: try JSONParser.parse(text: document).root)
        #expect(Fold.canonicalText(folded) == expected)
    }

    @Test func `canonical text sorts members at every level and keeps numbers as written`() throws {
        let value = try JSONParser.parse(text: #"{"b":[{"z":1.80,"a":2}],"a":{"d":"é","c":null}}"#)
        #expect(
            Fold.canonicalText(value.root) == #"{"a":{"c":null,"d":"é"},"b":[{"a":2,"z":1.80}]}"#)
    }

    @Test func `the first difference names its path and both values`() {
        let here: JSON = ["betslip": ["stake": "10.00", "revision": 7]]
        let there: JSON = ["betslip": ["stake": "12.00", "revision": 7]]
        #expect(
            Fold.firstDifference(here, there) == #"betslip.stake: "10.00" here, "12.00" there"#)
        #expect(Fold.firstDifference(here, here) == nil)
        #expect(
            Fold.firstDifference(["a": 1], ["a": 1, "b": [2]]) == "b: absent here, [2] there")
    }

    @Test func `patches made of random trees lead from each tree to the next`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let before = Self.tree(depth: 4, &random)
            let after = Self.tree(depth: 4, &random)
            let patch = Self.difference(from: before, to: after)
            let folded = Fold.folding(patch, over: before)
            #expect(
                Fold.canonicalText(folded) == Fold.canonicalText(after), "seed \(seed)")
        }
    }

    /// An object of random members; no member is null, as in the contract's state.
    private static func tree(depth: Int, _ random: inout SplitMix64) -> JSON {
        var object = JSONObject()
        for name in ["a", "b", "c", "d"] where random.chance(60) {
            switch random.next() % 4 {
            case 0 where depth > 1: object[name] = tree(depth: depth - 1, &random)
            case 1: object[name] = .array([.integer(random.next() % 3), "x"])
            case 2: object[name] = .string("t\(random.next() % 3)")
            default: object[name] = .integer(random.next() % 3)
            }
        }
        return .object(object)
    }

    /// A merge patch by definition: changed members, and null for the removed ones.
    private static func difference(from before: JSON, to after: JSON) -> JSON {
        guard let old = before.object, let new = after.object else { return after }
        var patch = JSONObject()
        for member in new.members where old[member.key] != member.value {
            let value = old[member.key]
            patch[member.key] =
                value?.object != nil
                ? difference(from: value ?? .null, to: member.value)
                : member.value
        }
        for member in old.members where new[member.key] == nil { patch[member.key] = .null }
        return .object(patch)
    }
}

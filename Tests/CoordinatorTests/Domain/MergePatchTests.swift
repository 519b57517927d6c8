import Coordinator
import Testing

@Suite struct MergePatchTests {
    private func json(_ text: String) throws -> JSON { try JSONParser.parse(text: text).root }

    /// The test cases of RFC 7396, appendix A: original, patch, result.
    @Test(arguments: [
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
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `a patch is applied as the RFC's examples are`(
        original: String, patch: String, result: String
    ) throws {
        #expect(MergePatch.apply(try json(patch), to: try json(original)) == (try json(result)))
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, #"{"b":3}"#),
        (#"{"a":1,"b":2}"#, #"{"a":1}"#, #"{"b":null}"#),
        (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"d":3}}"#, #"{"a":{"d":3,"c":null}}"#),
        (#"{}"#, #"{"a":{}}"#, #"{"a":{}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#),
        (#"{"a":[1,2]}"#, #"{"a":[2]}"#, #"{"a":[2]}"#),
        (#"{"a":{"b":1}}"#, #"{"a":5}"#, #"{"a":5}"#),
        (#"{"a":5}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
        (#"{"a":"1.8"}"#, #"{"a":"1.80"}"#, #"{"a":"1.80"}"#),
    ])
    func `a difference has what is new and null for what is gone`(
        old: String, new: String, patch: String
    ) throws {
        let (old, new) = (try json(old), try json(new))
        let found = try #require(MergePatch.diff(from: old, to: new))
        #expect(found == (try json(patch)))
        #expect(MergePatch.apply(found, to: old) == new)
    }

    @Test(arguments: [#"{}"#, #"{"a":{"b":[1,{"c":2}]}}"#, #"[1]"#, #""x""#])
    func `equal values have no difference`(text: String) throws {
        #expect(MergePatch.diff(from: try json(text), to: try json(text)) == nil)
    }

    @Test func `the order of members is no difference`() throws {
        let (old, new) = (try json(#"{"a":1,"b":2}"#), try json(#"{"b":2,"a":1}"#))
        #expect(MergePatch.diff(from: old, to: new) == nil)
    }

    @Test func `a patch of a difference leads there for any two objects`() {
        var random = Generator(seed: 7396)
        for round in 0..<500 {
            let (old, new) = (random.object(depth: 3), random.object(depth: 3))
            let patch = MergePatch.diff(from: old, to: new)
            let reached = patch.map { MergePatch.apply($0, to: old) } ?? old
            #expect(reached == new, "seed 7396, round \(round)")
        }
    }

    /// Makes small objects of few names, so that they often share some.
    private struct Generator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        private mutating func next(below bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }

        mutating func object(depth: Int) -> JSON {
            var object = JSONObject()
            for name in ["a", "b", "c"] where next(below: 3) > 0 {
                object.append(name, value(depth: depth - 1))
            }
            return .object(object)
        }

        private mutating func value(depth: Int) -> JSON {
            switch next(below: depth > 0 ? 5 : 3) {
            case 0: .integer(next(below: 2))
            case 1: .string("x")
            case 2: .array([.integer(next(below: 2))])
            default: object(depth: depth)
            }
        }
    }
}

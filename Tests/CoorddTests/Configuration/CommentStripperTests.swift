import Testing
import coordd

@Suite struct CommentStripperTests {
    private func strip(_ text: String) throws -> String {
        String(decoding: try CommentStripper.strip(Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("1//2\n3", "1   \n3"),
        ("1/*2\n3*/4", "1   \n   4"),
        ("/**/", "    "),
        ("/*/ */", "      "),
        ("// /*\n1 // */", "     \n1      "),
        (#""// /* */""#, #""// /* */""#),
        (#""\"//"//"#, #""\"//"  "#),
        (#""\\"//"#, #""\\"  "#),
        ("/ 1", "/ 1"),
        ("1/", "1/"),
    ])
    func `comments become blanks and everything else stays`(text: String, expected: String) throws {
        #expect(try strip(text) == expected)
    }

    @Test func `letters of several bytes keep later places`() throws {
        let text = "{/* ü€😀 */\"a\":1}"
        let stripped = try CommentStripper.strip(Array(text.utf8))
        #expect(stripped.count == text.utf8.count)
        #expect(String(decoding: stripped, as: UTF8.self).hasSuffix("\"a\":1}"))
    }

    @Test(arguments: ["/*", "1 /* /", "/*/"])
    func `a comment without an end is an error at its start`(text: String) {
        let start = text.utf8.firstIndex(of: UInt8(ascii: "/")).map {
            text.utf8.distance(from: text.utf8.startIndex, to: $0)
        }
        #expect(throws: CommentStripper.OpenComment(offset: start ?? -1)) { try strip(text) }
    }
}

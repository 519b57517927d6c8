import Coordinator
import Testing

@Suite struct HTTPParametersTests {
    @Test func `names and values are decoded, and the first of a name counts`() throws {
        let parameters = try #require(HTTPParameters("limit=5&after=x%2By+z&limit=6&a%3Db=c&e&=f"))
        #expect(parameters["limit"] == "5")
        #expect(parameters["after"] == "x+y z")
        #expect(parameters["a=b"] == "c")
        #expect(parameters["e"] == "")
        #expect(parameters["none"] == nil)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "%ff=a", "a=b&c=%C3"])
    func `what is badly encoded is refused as a whole`(query: String) {
        #expect(HTTPParameters(query) == nil)
    }

    @Test func `a number is made of digits and within its range`() throws {
        let range = 1...1000
        for (text, number) in [("1", 1), ("1000", 1000), ("007", 7)] {
            #expect(try HTTPParameters("limit=\(text)")?.integer("limit", range) == number)
        }
        #expect(try HTTPParameters("")?.integer("limit", range) == nil)
        for text in ["0", "1001", "-1", "%2B1", "", "1.0", "1e2", "99999999999999999999", "٣"] {
            let parameters = try #require(HTTPParameters("limit=\(text)"))
            #expect(
                throws: ReplyError.badRequest("limit must be a whole number from 1 to 1000")
            ) {
                try parameters.integer("limit", range)
            }
        }
    }
}

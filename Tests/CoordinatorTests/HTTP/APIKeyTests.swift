import Coordinator
import Testing

@Suite struct APIKeyTests {
    private func given(_ fields: (String, String)...) throws -> Bool? {
        let key = try #require(APIKey("0123456789abcdef"))
        var header = HTTPFields()
        for field in fields { header.append(field.0, field.1) }
        return key.isGiven(
            in: HTTPRequest(
                method: "GET", path: "/", query: nil, isVersion11: true, fields: header, host: "a"))
    }

    @Test func `a key has sixteen visible characters or more`() {
        #expect(APIKey("0123456789abcde") == nil)
        #expect(APIKey("0123456789abcdef") != nil)
        #expect(APIKey(String(repeating: "x", count: 4096)) != nil)
        #expect(APIKey(String(repeating: "x", count: 4097)) == nil)
        for text in ["0123456789abcde f", "0123456789abcdef\n", "0123456789abcdéf"] {
            #expect(APIKey(text) == nil)
        }
    }

    @Test func `it comes in either field`() throws {
        #expect(try given(("authorization", "apikey 0123456789abcdef")) == true)
        #expect(try given(("authorization", "APIKey   0123456789abcdef")) == true)
        #expect(try given(("x-api-key", "0123456789abcdef")) == true)
        #expect(
            try given(
                ("authorization", "apikey 0123456789abcdef"), ("x-api-key", "0123456789abcdef"))
                == true)
    }

    @Test func `another key is wrong, and no key is none`() throws {
        #expect(try given() == nil)
        #expect(try given(("authorization", "Bearer 0123456789abcdef")) == nil)
        #expect(try given(("authorization", "0123456789abcdef")) == nil)
        for text in ["", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcde"] {
            #expect(try given(("x-api-key", text)) == false)
            #expect(try given(("authorization", "apikey \(text)")) == false)
        }
        #expect(try given(("authorization", "apikey")) == false)
        #expect(
            try given(("x-api-key", "0123456789abcdef"), ("x-api-key", "something else")) == false)
    }

    @Test func `no text shows it`() throws {
        let key = try #require(APIKey("0123456789abcdef"))
        #expect("\(key)" == "(secret)")
        #expect(!String(reflecting: key).contains("0123"))
        #expect(!String(reflecting: [key]).contains("0123"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("0123"))
        #expect(key == APIKey("0123456789abcdef"))
        #expect(key != APIKey("0123456789abcdeF"))
    }
}

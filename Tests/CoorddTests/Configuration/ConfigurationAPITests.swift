import Coordinator
import Testing
import coordd

/// `auth.apiKey` and `auth.allowedOrigins`.
@Suite struct ConfigurationAPITests {
    private static let key = "0123456789abcdef"

    @Test func `a key of sixteen characters is taken and shown nowhere`() throws {
        let loaded = try load(#"{"auth": {"apiKey": "\#(Self.key)"}}"#)
        #expect(loaded.configuration.auth.apiKey == APIKey(Self.key))
        let report = ConfigurationReport(loaded)
        #expect(!report.text.contains(Self.key))
        #expect(!JSONWriter.text(of: report.json).contains(Self.key))
        #expect(report.json["configuration"]?["auth"]?["apiKey"] == "set")
        #expect(!"\(loaded)".contains(Self.key))
        let none = ConfigurationReport(try load("{}"))
        #expect(none.json["configuration"]?["auth"]?["apiKey"] == .null)
    }

    @Test(arguments: [
        #""0123456789abcde""#, #""hunter2""#, "1234567890123456", "null", #"["0123456789abcdef"]"#,
        #""0123456789 abcdef""#,
    ])
    func `another one is refused without being shown`(value: String) {
        let found = problems(#"{"auth": {"apiKey": \#(value)}}"#)
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("/etc/coordd.json: auth.apiKey: found "))
        #expect(found[0].hasSuffix("allowed: a text of 16 to 4096 visible ASCII characters"))
        for text in ["hunter2", "0123456789", "123456789012"] { #expect(!found[0].contains(text)) }
    }

    @Test func `the key may come from the environment`() throws {
        let loaded = try load(environment: ["COORDD_AUTH_API_KEY": Self.key])
        #expect(loaded.configuration.auth.apiKey == APIKey(Self.key))
        // What the client tools read is nobody's mistake.
        #expect(problems(environment: ["COORDD_API_KEY": Self.key]) == [])
    }

    @Test func `origins are those that browsers send, or all`() throws {
        let text =
            #"{"auth": {"allowedOrigins": ["https://shop.example", "http://localhost:3000"]}}"#
        let loaded = try load(text)
        #expect(
            loaded.configuration.auth.allowedOrigins == [
                "https://shop.example", "http://localhost:3000",
            ])
        #expect(ConfigurationReport(loaded).notes == [])
        let all = try load(#"{"auth": {"allowedOrigins": ["*"]}}"#)
        #expect(ConfigurationReport(all).notes.count == 1)
        #expect(ConfigurationReport(all).notes[0].hasPrefix("auth.allowedOrigins has \"*\": "))
        for value in [
            #"["shop.example"]"#, #"["https://shop.example/"]"#, #"["null"]"#,
            #""https://shop.example""#, #"["https://*.example"]"#, #"[""]"#,
        ] {
            #expect(problems(#"{"auth": {"allowedOrigins": \#(value)}}"#).count == 1, "\(value)")
        }
    }
}

import Coordinator
import TestSupport
import Testing

/// No secret can be read in anything that is stored (contract: domain, section 4.6).
@Suite struct SecretsAtRestTests {
    private static let secret = "Planted-Secret-0123456789"

    /// The secret, and the texts that base64 could make of it inside something longer.
    private static let needles: [[UInt8]] = {
        let bytes = Array(secret.utf8)
        let encoded = (0..<3).map { start in
            let inner = bytes[start..<start + (bytes.count - start) / 3 * 3]
            return Array(Base64.text(of: Array(inner)).utf8)
        }
        return [bytes] + encoded
    }()

    private func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
        text.indices.dropLast(needle.count - 1).contains { start in
            text[start] == needle[0] && text[start..<start + needle.count].elementsEqual(needle)
        }
    }

    @Test func `a planted secret is in no document and no patch`() throws {
        let secret = Self.secret
        var mirror = try StoredMirror()
        var session = try TestSession.staged()
        try mirror.fold(session.viewing)
        func then(_ step: (inout TestSession) throws -> Void) throws {
            try step(&session)
            try mirror.fold(session.viewing)
            try mirror.check("secrets")
        }
        try then { session in
            try session.send(
                #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1","apiKey":"#
                    + #""\#(secret)","user":"\#(secret)","password":"\#(secret)","deviceId":"d","#
                    + #""userEmail":"\#(secret)","page":"https://a.example/?token=\#(secret)"}}"#)
        }
        let page = session.viewing.memory.outbox.effects.first
        #expect(page.map { JSONWriter.text(of: $0.json).contains(secret) } == true)
        try then { try $0.page(#"{"type":"init"}"#) }
        try then { try $0.send(#"{"type":"fullscreen.set","on":true}"#) }
        try then { session in
            try session.send(
                #"{"type":"device.navigation","phase":"failed","error":"no","#
                    + #""url":"https://a.example/?token=\#(secret)"}"#)
        }
        try then { $0.detach() }
        try then { try $0.take("tv") }
        try then { _ = try $0.attach("tv") }
        try then { $0.acknowledge($0.viewing.memory.outbox.effects.map(\.seq)) }
        #expect(mirror.written.count > 40)
        for text in mirror.written {
            for needle in Self.needles { #expect(!contains(text, needle)) }
        }
    }

    @Test func `the search finds what it looks for`() {
        for prefix in ["", "a", "ab"] {
            let text = Base64.text(of: Array("\(prefix)\(Self.secret)xyz".utf8))
            #expect(Self.needles.contains { contains(Array(text.utf8), $0) })
        }
        #expect(contains(Array("x\(Self.secret)".utf8), Self.needles[0]))
    }
}

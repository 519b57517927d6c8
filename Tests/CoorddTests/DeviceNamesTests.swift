import Coordinator
import Testing
import coordd

/// Tools with one token for many devices.
@Suite struct DeviceNamesTests {
    private let names = DeviceNames(prefix: "ann:")

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `what a token adds to devices' names is taken away wherever it stands`() {
        let said = bytes(#"{"by":{"device":"ann:tv"},"list":["ann:","bob:tv"],"n":1.50}"#)
        let given = bytes(#"{"by":{"device":"tv"},"list":["","bob:tv"],"n":1.50}"#)
        #expect(names.given(in: .rpc(data: said)) == .rpc(data: given))
        let publication = Publication(offset: 7, data: said)
        #expect(
            names.given(in: .push(.publication(channel: "session:a", publication)))
                == .push(
                    .publication(channel: "session:a", Publication(offset: 7, data: given))))
        let result = Reply.Subscribe(
            position: nil, publications: [publication], data: said)
        #expect(
            names.given(in: .subscribe(result))
                == .subscribe(
                    Reply.Subscribe(
                        position: nil, publications: [Publication(offset: 7, data: given)],
                        data: given)))
    }

    @Test func `one token for many devices names none`() throws {
        let secret = bytes("0123456789abcdef0123456789abcdef")
        func token(_ claims: JSON) -> String {
            TokenSigner.token(claims.object ?? JSONObject(), secret: secret)
        }
        #expect(try DeviceDialer(token: nil).prefix == "")
        #expect(try DeviceDialer(token: token(["sub": "a:b"])).prefix == "a%3Ab:")
        #expect(throws: DeviceDialer.Fault.self) {
            try DeviceDialer(token: token(["device": "tv"]))
        }
        #expect(throws: DeviceDialer.Fault.self) { try DeviceDialer(token: "nonsense") }
    }
}

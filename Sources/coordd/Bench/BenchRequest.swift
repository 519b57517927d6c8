import Coordinator

/// What the clients of a benchmark ask for.
package enum BenchRequest: Sendable, Equatable {
    case connect(device: String, token: String?)
    /// `data` is a JSON text.
    case subscribe(channel: String, data: String?)
    case unsubscribe(channel: String)
    /// `session.apply`; `event` is a JSON text.
    case apply(session: String, event: String)

    /// A phone makes the session, takes its stage and opens a slip with one selection.
    ///
    /// Then it stops following the session, so that an event is delivered to the screens and nobody
    /// else.
    package static func phone(_ device: String, of session: String, token: String?) -> [Self] {
        [
            .connect(device: device, token: token),
            .subscribe(channel: "session:\(session)", data: nil),
            .subscribe(
                channel: "stage:\(session)", data: #"{"facts":{"orientation":"portrait"}}"#),
            .apply(
                session: session,
                event: #"{"type":"betslip.open","sportsbookSelectionId":"s1","#
                    + #""decimalPrice":"1.85"}"#),
            .unsubscribe(channel: "session:\(session)"),
        ]
    }

    /// A second screen follows the session.
    package static func screen(_ device: String, of session: String, token: String?) -> [Self] {
        [
            .connect(device: device, token: token),
            .subscribe(channel: "session:\(session)", data: #"{"role":"mirror"}"#),
        ]
    }

    /// An event with its mark: another stake each time, so that each is a revision.
    package static func event(_ mark: BenchMark, of session: String) -> Self {
        .apply(
            session: session,
            event: #"{"type":"betslip.update","stake":"\#(mark.number % 100_000 + 1).50","#
                + #""mark":"\#(mark.text)","pad":"xxxxxxxxxxxxxxxx"}"#)
    }
}

extension BenchRequest {
    /// The request as a JSON text.
    package func json(id: UInt32) -> String {
        let body =
            switch self {
            case .connect(let device, let token):
                #""connect":{"data":{"device":\#(Self.quoted(device))}"#
                    + (token.map { #","token":\#(Self.quoted($0))"# } ?? "") + "}"
            case .subscribe(let channel, let data):
                #""subscribe":{"channel":\#(Self.quoted(channel))"#
                    + (data.map { #","data":\#($0)"# } ?? "") + "}"
            case .unsubscribe(let channel):
                #""unsubscribe":{"channel":\#(Self.quoted(channel))}"#
            case .apply(let session, let event):
                #""rpc":{"method":"session.apply","data":{"session":\#(Self.quoted(session)),"#
                    + #""event":\#(event)}}"#
            }
        return #"{"id":\#(id),\#(body)}"#
    }

    /// The request as a Protobuf message behind its length (protocol facts: Centrifugal, section 13).
    package func protobuf(id: UInt32) -> [UInt8] {
        var message = BenchProtobuf()
        message.set(1, number: UInt64(id))
        var fields = BenchProtobuf()
        switch self {
        case .connect(let device, let token):
            fields.set(1, text: token ?? "")
            fields.set(2, text: #"{"device":\#(Self.quoted(device))}"#)
            message.set(4, bytes: fields.bytes)
        case .subscribe(let channel, let data):
            fields.set(1, text: channel)
            fields.set(8, text: data ?? "")
            message.set(5, bytes: fields.bytes)
        case .unsubscribe(let channel):
            fields.set(1, text: channel)
            message.set(6, bytes: fields.bytes)
        case .apply(let session, let event):
            fields.set(1, text: #"{"session":\#(Self.quoted(session)),"event":\#(event)}"#)
            fields.set(2, text: "session.apply")
            message.set(13, bytes: fields.bytes)
        }
        return message.delimited
    }

    private static func quoted(_ text: String) -> String {
        JSONWriter.text(of: .string(text))
    }
}

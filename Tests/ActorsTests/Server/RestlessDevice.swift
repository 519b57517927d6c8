import Coordinator
import TestSupport

/// A mirror that loses its connection at random moments and comes back with its position.
final class RestlessDevice {
    /// How often it came back, and how.
    struct Returns: Sendable {
        var recovered = 0
        var withSnapshot = 0
    }

    private enum Step: CaseIterable { case apply, applyAgain, look, lookAgain, leave, drop, abort }

    private let port: UInt16
    private let name: String
    private var client: RawClient?
    private(set) var folded: FoldedMirror?
    private(set) var returns = Returns()
    private var sent = 0

    init(port: UInt16, name: String) {
        self.port = port
        self.name = name
    }

    /// Does something at random; whoever is away comes back.
    func step(_ generator: inout SplitMix) throws {
        guard let client else { return try comeBack() }
        switch Step.allCases.randomElement(using: &generator) ?? .look {
        case .apply, .applyAgain:
            sent += 1
            client.begin(
                RawClient.applying(
                    #"{"type":"betslip.update","stake":"\#(sent).\#(name)"}"#, to: "a"))
        case .look, .lookAgain:
            guard client.drain() else { throw RawClient.Failure.ended }
            try look(client)
        case .leave:
            try client.call(#""unsubscribe":{"channel":"session:a"}"#)
            try look(client)
            try subscribe(client)
        case .drop:
            client.close()
            self.client = nil
        case .abort:
            client.abort()
            self.client = nil
        }
    }

    /// Comes back if away, and reads until the mirror is at a revision.
    func finish(at revision: UInt64) throws {
        if client == nil { try comeBack() }
        guard let client else { return }
        while let folded, folded.revision < revision { try take(client.message()) }
    }

    private func comeBack() throws {
        let client = try RawClient(port: port, device: name)
        self.client = client
        try subscribe(client)
    }

    private func subscribe(_ client: RawClient) throws {
        guard var known = folded else {
            folded = try FoldedMirror(subscribed: client.subscribe("a").result)
            return
        }
        let result = try client.subscribe(
            "a", #","recover":true,"epoch":"\#(known.epoch)","offset":\#(known.revision)"#
        ).result
        guard result["recovered"]?.bool == true else {
            let fresh = try FoldedMirror(subscribed: result)
            guard fresh.epoch == known.epoch, fresh.revision > known.revision else {
                throw RawClient.Failure.unexpected("a snapshot of the past: \(result)")
            }
            returns.withSnapshot += 1
            folded = fresh
            return
        }
        for publication in result["publications"]?.array ?? [] {
            try known.take(publication: publication)
        }
        returns.recovered += 1
        folded = known
    }

    private func look(_ client: RawClient) throws {
        while let message = try client.received() { try take(message) }
    }

    private func take(_ message: JSONCodec.ServerMessage) throws {
        switch message {
        case .push("session:a", "pub", let publication):
            try folded?.take(publication: publication)
        case .reply: break
        case .ping, .failure, .push:
            throw RawClient.Failure.unexpected("\(message)")
        }
    }
}

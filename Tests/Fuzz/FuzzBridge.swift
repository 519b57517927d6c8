// The entry of a libFuzzer run over the messages of every vendor's page: the first byte picks a
// handler, each line after it is a body. Built by Scripts/fuzz.sh together with the sources it is
// about.

/// Feeds one input: a page of the handler's vendor is loaded and ready, then come the bodies.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBridge(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    var host = FuzzedPage(number: Int(first))
    for line in bytes.dropFirst().split(separator: UInt8(ascii: "\n"), maxSplits: 32) {
        host.take(Array(line))
    }
    return 0
}

/// A session whose stage shows one vendor's page.
private struct FuzzedPage {
    private static let contents: JSON = [
        "fixtureId": "1", "liveId": "l", "accessToken": "hunter2", "clientId": "c", "showId": "s",
        "widget": "w", "props": ["a": 1], "pageURL": "https://shop.example/",
    ]
    private static let handlers = VendorTable.standard.handlers.sorted()

    private let handler: String
    private let policy = Policy()
    private var viewing = Viewing()
    private var mirrored = SessionState().json
    private var revision: UInt64 = 0
    private var now = Instant(milliseconds: 1_700_000_000_000)

    init(number: Int) {
        handler = Self.handlers[number % Self.handlers.count]
        guard let vendor = policy.vendor(handling: handler),
            let content = Self.contents.object,
            let attached = try? viewing.attachStage(
                device: "phone", facts: nil, at: now, revision: 1, policy: policy)
        else { preconditionFailure("the handler is nobody's") }
        fold(attached)
        apply(.player(.load(vendor: vendor, content: content, options: LoadOptions())))
        apply(.device(.navigation(.finished, url: nil, error: nil)))
        apply(.bridge(BridgeMessage(handler: "sauceflexEnter", body: .null)))
        apply(.bridge(BridgeMessage(handler: "gsVideoPlayerBridge", body: ["type": "init"])))
        apply(
            .bridge(
                BridgeMessage(
                    handler: "bambuserEventHandler", body: ["eventName": "player.EVENT.READY"])))
    }

    /// One body; a text that is no JSON stands for itself.
    mutating func take(_ line: [UInt8]) {
        now = now.advanced(byMilliseconds: 300)
        let text = String(decoding: line, as: UTF8.self)
        let document = try? JSONParser.parse(line.span, maximumDepth: 27)
        let body = document.map { $0.defects.isEmpty ? $0.root : .null } ?? .string(text)
        apply(.bridge(BridgeMessage(handler: handler, body: body)))
        apply(.device(.navigation(.newWindow, url: text, error: nil)))
        if revision % 3 == 0 {
            apply(.setLocale(text))
            let props = JSONObject([JSONObject.Member(key: "a", value: body)])
            apply(.widgetUpdate(selector: text, props: props))
        }
        if revision % 5 == 0 {
            apply(.device(.navigation(.committed, url: text, error: .init(message: text))))
        }
        check()
    }

    private mutating func apply(_ event: Event) {
        let before = viewing
        do throws(Rejection) {
            let origin = Origin(device: "phone", role: .player, holdsStage: true)
            fold(
                try viewing.apply(
                    event, from: origin, at: now, revision: revision + 1, policy: policy))
        } catch {
            precondition(viewing == before, "a rejected event changed something")
            precondition(error.message.utf8.count < 2 * 65_536)
        }
    }

    private mutating func fold(_ outcome: Outcome) {
        guard outcome.kind == .revision else { return }
        revision += 1
        mirrored = MergePatch.apply(outcome.patch, to: mirrored)
        for effect in outcome.effects { check(effect) }
    }

    /// What is sent can be read again, and no script holds what would end it.
    private func check(_ effect: Effect) {
        let bytes = JSONWriter.bytes(of: effect.json)
        precondition((try? JSONParser.parse(bytes.span, maximumDepth: 40)) != nil)
        guard case .evaluateJavaScript(_, let script, _) = effect.order else { return }
        for scalar in script.unicodeScalars {
            precondition(!["\u{2028}", "\u{2029}", "\r", "\n", "\0"].contains(scalar))
        }
        precondition(!script.contains("</"))
    }

    private func check() {
        let state = viewing.state.json
        precondition(mirrored == state, "the fold is another state")
        let text = JSONWriter.text(of: state)
        precondition(!text.contains("hunter2"), "the state has a secret")
        precondition(text.utf8.count <= policy.stateBytes + 1024)
        precondition((try? SessionState(stored: state)) == viewing.state)
        precondition(viewing.memory.outbox.effects.count <= policy.outboxLimit)
    }
}

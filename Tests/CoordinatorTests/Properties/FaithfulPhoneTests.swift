import Coordinator
import TestSupport
import Testing

/// A phone that does what it is told and tells what it did ends in agreement with the session, however
/// late it is and however often the connection breaks (contract: domain, sections 4.1, 4.3 and 4.7).
@Suite struct FaithfulPhoneTests {
    private struct Scene {
        var session = TestSession()
        var phone = FaithfulPhone()
        var random: SplitMix
        var log: [String] = []

        var isConnected: Bool { session.viewing.state.stage?.connected == true }

        mutating func take(_ what: String, _ outcome: Outcome) {
            log.append("\(what) -> \(session.viewing.state.pip.phase)")
            if isConnected { phone.receive(outcome.effects) }
        }

        mutating func send(_ text: String, from origin: Origin? = nil) throws {
            do {
                take(text, try session.send(text, from: origin))
            } catch let rejection as Rejection where rejection.code == 409 {
                log.append("\(text) refused")
            }
        }

        mutating func connect() throws {
            let outcome = try session.attach("phone")
            log.append("attach")
            phone.receive(session.viewing.pendingEffects(after: outcome))
        }

        mutating func disconnect() {
            phone.disconnect()
            log.append("detach")
            session.detach()
        }

        mutating func wait(_ milliseconds: Int64) {
            session.now = session.now.advanced(byMilliseconds: milliseconds)
            while let outcome = session.expire() { take("expire", outcome) }
        }

        mutating func speak() throws {
            guard isConnected, let word = phone.nextWord() else { return }
            switch word {
            case .fact(let text): try send(text)
            case .done(let seq): take("done \(seq)", session.acknowledge([seq]))
            case .failed(let seq):
                take(
                    "failed \(seq)",
                    session.acknowledge(
                        failed: [EffectFailure(seq: seq, code: "busy", message: "")]))
            }
        }

        /// One thing happens, somewhere.
        mutating func step() throws {
            guard isConnected else {
                if Int.random(in: 0..<3, using: &random) == 0 { return try connect() }
                if Int.random(in: 0..<3, using: &random) == 0 { try wish() }
                return phone.opened(Bool.random(using: &random))
            }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30: try phone.work(isWilling: Int.random(in: 0..<5, using: &random) > 0)
            case 30..<60: try speak()
            case 60..<72: phone.opened(Int.random(in: 0..<5, using: &random) > 0)
            case 72..<75: phone.open()
            case 75..<79: phone.close(restores: Bool.random(using: &random))
            // A phone that is slower than the deadline has failed, whatever it shows later.
            case 79..<82: wait(Int64.random(in: 0..<(phone.isBusy ? 50 : 7000), using: &random))
            case 82..<84: disconnect()
            case 84..<87: try send(Self.ready)
            default: try wish()
            }
        }

        static let ready = #"{"type":"device.navigation","phase":"finished"}"#
        private static let wishes = [
            #"{"type":"pip.start"}"#, #"{"type":"pip.start"}"#, #"{"type":"pip.stop"}"#,
            #"{"type":"pip.toggle"}"#, #"{"type":"fullscreen.toggle"}"#,
        ]

        private mutating func wish() throws {
            guard Int.random(in: 0..<12, using: &random) == 0 else {
                return try send(
                    Self.wishes.randomElement(using: &random) ?? "", from: TestSession.mirror)
            }
            guard isConnected else { return }
            try send(
                Bool.random(using: &random)
                    ? #"{"type":"player.close"}"#
                    : FaithfulPhoneTests.load(Int.random(in: 1..<3, using: &random)))
        }

        /// Everything under way comes to its end, and nothing new begins.
        mutating func rest() throws {
            if !isConnected { try connect() }
            for _ in 0..<400 {
                phone.opened(true)
                try phone.work(isWilling: true)
                try speak()
                if !phone.isBusy { wait(500) }
            }
        }
    }

    fileprivate static func load(_ number: Int) -> String {
        #"{"type":"player.load","vendor":"lisa","content":{"clientId":"c","showId":"\#(number)"}}"#
    }

    @Test(arguments: 701...740 as ClosedRange<UInt64>)
    func `phone and session agree in the end`(seed: UInt64) throws {
        var scene = Scene(random: SplitMix(seed: seed))
        try scene.connect()
        try scene.send(Self.load(1))
        try scene.send(Scene.ready)
        for round in 0..<6 {
            for _ in 0..<60 { try scene.step() }
            try scene.rest()
            let state = scene.session.viewing.state
            var differences: [String] = []
            if scene.phone.isBusy { differences.append("the phone finds no rest") }
            if (state.pip.phase == .active) != scene.phone.hasWindow
                || state.pip.phase == .starting || state.pip.phase == .stopping
            {
                differences.append(
                    "the window is \(scene.phone.hasWindow), the phase \(state.pip.phase)")
            }
            if state.orientation.requested != nil { differences.append("a request stays open") }
            if let interface = state.orientation.interface,
                interface.rawValue != scene.phone.interface
            {
                differences.append("it is drawn \(scene.phone.interface), not \(interface)")
            }
            if state.player.phase != .closed,
                scene.phone.device.isFullscreen != (state.presentation.mode == .fullscreen)
            {
                differences.append("full screen is \(scene.phone.device.isFullscreen)")
            }
            guard differences.isEmpty else {
                Issue.record(
                    "seed \(seed), round \(round): \(differences) after \(scene.log.suffix(40))")
                return
            }
        }
    }
}

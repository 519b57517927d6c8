import Actors
import Coordinator
import Foundation
import TLS
import TestSupport
import coordd

/// One transcript that is played over one carrier, while others follow its session over the others.
struct CarrierPlay: Sendable, Equatable {
    /// What came of each step.
    var rows: [TranscriptRow]
    /// The state at the end; nil when that was not reached.
    var state: String?
    /// Why the end was not reached.
    var failure: String?
    /// What each connection of the transcript heard, in the order they were made, without what
    /// differs between two plays: times, epochs, the names of session and connections.
    var heard: [[String]]
    /// Publications of the session that the player's watcher heard, as they came.
    var watched: [String]
    /// As many as connections over other carriers heard of them.
    var followers: [CarrierKind: [String]]

    /// The publications of the session among them.
    static func publications(_ lines: [String]) -> [String] {
        lines.filter { $0.contains(#""pub":{"#) && $0.hasPrefix(#"{"push":{"channel":"session:"#) }
    }
}

extension TestServer {
    /// Plays a transcript in a session of its own, which two others follow.
    func play(
        _ transcript: Transcript, over kind: CarrierKind, followedOver others: [CarrierKind],
        name: String
    ) async -> CarrierPlay {
        await loop.result { done in
            guard let trust = try? RawClient.trust() else { preconditionFailure("no root") }
            CarrierStage(transcript, kind, others, name, self, trust, done).begin()
        }
    }
}

/// What a play consists of; keeps itself alive until the end.
private final class CarrierStage {
    private let transcript: Transcript
    private let kind: CarrierKind
    private let name: String
    private let others: [CarrierKind]
    private let server: TestServer
    private let trust: TLSContext
    private var loop: UVEventLoop { server.loop }
    private var done: ((CarrierPlay) -> Void)?

    private var links: [CarrierLink] = []
    private var followers: [(kind: CarrierKind, link: CarrierLink)] = []
    private var missing = 0
    private var rows: [TranscriptRow] = []
    private var replay: WireReplay?
    private var timer: (any LoopTimer)?
    /// Itself, while it plays.
    private var keeper: CarrierStage?

    init(
        _ transcript: Transcript, _ kind: CarrierKind, _ others: [CarrierKind], _ name: String,
        _ server: TestServer, _ trust: TLSContext, _ done: @escaping (CarrierPlay) -> Void
    ) {
        (self.transcript, self.kind, self.others, self.name) = (transcript, kind, others, name)
        (self.server, self.trust, self.done) = (server, trust, done)
    }

    /// The player's watcher makes the session; the followers come when it has it.
    func begin() {
        keeper = self
        guard let session = SessionID(name) else { return finish(failure: "a bad name") }
        missing = others.count
        for other in others {
            let link = CarrierLink(other, to: server, trusting: trust, device: "follower") {
                [unowned self] event in
                switch event {
                case .opened: follow(other, session)
                case .push: break
                case .ended(let end): finish(failure: "\(other): \(end)")
                }
            }
            followers.append((other, link))
        }
    }

    private func follow(_ other: CarrierKind, _ session: SessionID) {
        let link = followers.first { $0.kind == other }?.link
        let role = JSONDocument(root: ["role": "observer"])
        link?.request(.subscribe(.init(channel: "session:\(name)", data: role))) {
            [unowned self] result in
            guard case .success = result else { return finish(failure: "\(other): \(result)") }
            missing -= 1
            if missing == 0 { play(in: session) }
        }
    }

    private func play(in session: SessionID) {
        let world = WireReplay.World(
            dial: { [unowned self] device, handler in
                let link = CarrierLink(
                    kind, to: server, trusting: trust, device: device, handler: handler)
                links.append(link)
                return link
            },
            schedule: { [unowned self] milliseconds, work in
                timer = loop.schedule(afterMilliseconds: Int64(milliseconds), work)
            },
            now: { SteadyClock.microseconds }, note: { _ in }, watcher: "watcher")
        let replay = WireReplay(
            transcript, session: session, speed: 100_000, isStrict: true, world: world,
            onRow: { [unowned self] in rows.append($0) },
            onEnd: { [unowned self] in settle($0) })
        self.replay = replay
        replay.start()
    }

    /// What was published before a follower's answer, the follower has by then.
    private func settle(_ end: WireReplay.End) {
        missing = followers.count
        for (other, link) in followers {
            let data = JSONDocument(root: ["session": .string(name)])
            link.request(.rpc(method: "session.state", data: data)) { [unowned self] result in
                guard case .success = result else { return finish(failure: "\(other): \(result)") }
                missing -= 1
                if missing == 0 { finish(state: end.state, failure: end.failure) }
            }
        }
    }

    private func finish(state: JSON? = nil, failure: String?) {
        guard let done else { return }
        self.done = nil
        // The watcher is the first connection that the replay makes; it is closed already and does
        // not hear what its end brings.
        let watched = CarrierPlay.publications(links.first?.heard ?? [])
        var heard: [CarrierKind: [String]] = [:]
        for (other, link) in followers {
            heard[other] = Array(CarrierPlay.publications(link.heard).prefix(watched.count))
        }
        let play = CarrierPlay(
            rows: rows, state: state.map { normalized(PlainText.json($0)) }, failure: failure,
            heard: links.map { link in link.heard.map(normalized) },
            watched: watched, followers: heard)
        for (_, link) in followers { link.close() }
        for link in links { link.close() }
        timer = nil
        // Whoever called is still at work.
        loop.atTurnEnd { self.keeper = nil }
        done(play)
    }

    /// Without what differs between two plays of the same.
    private func normalized(_ line: String) -> String {
        line.replacingOccurrences(of: name, with: "SESSION").replacingOccurrences(
            of: #"("at":|"until":)[0-9]+|("epoch":"|"client":")[^"]*"#, with: "$1$2",
            options: .regularExpression)
    }
}

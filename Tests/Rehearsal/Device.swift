import Actors
import Coordinator
import TestSupport

/// A phone or a second screen that does what the protocol says: it connects, follows its session,
/// comes back with what it has, sends again what got no answer, and keeps account of everything it
/// was told.
final class Device {
    enum Kind {
        /// Wants the stage.
        case phone
        /// Sends commands.
        case mirror
        /// Reads.
        case observer

        /// Two phones first, so that the stage is contested.
        init(place: Int) {
            self = [.phone, .mirror, .phone, .observer][place % 4]
        }
    }

    /// An event, as long as it matters.
    struct Call {
        let tag: UInt64
        let id: String?
        let text: String
        var sends = 0
        /// The first answer: its revision, the incarnation that gave it, and how many others the
        /// device had by then.
        var answer: (revision: UInt64, epoch: String, place: Int)?
    }

    /// What a command asked for.
    enum Question {
        case connect
        case follow(recover: StreamPosition?)
        case followAgain
        case leave
        case leaveStage
        case stage
        case apply(Call)
        case acknowledge([UInt64], Incarnation?)
        case take
        case state
        case history
        case presence
        case close

        /// Whether the session answers it, when that has said everything before.
        var isOrdered: Bool {
            switch self {
            case .follow, .stage, .apply, .acknowledge, .take, .state, .history, .close: true
            case .connect, .followAgain, .leave, .leaveStage, .presence: false
            }
        }

        /// Whether it decides about the subscription.
        var isFollow: Bool {
            switch self {
            case .follow, .followAgain: true
            default: false
            }
        }
    }

    enum Following { case not, asked, live, leaving }
    enum Stage { case not, asked, live, leaving }

    let name: String
    let kind: Kind
    let session: SessionID
    let world: World
    var random: SplitMix

    private(set) var link: Connection?
    /// Its connections that the server has not closed, those it has left included.
    private var served: [Connection] = []
    private var framer = LineFramer(maximumBytes: 1 << 24)
    private var lastHeard: Int64 = 0
    /// Until when it does not connect.
    private var pauseUntil: Int64 = 0
    private var lastCommand: UInt32 = 0
    /// The newest command that the session has answered.
    var lastAnswer: UInt32 = 0
    var questions: [UInt32: Question] = [:]
    var isConnected = false
    var following = Following.not
    var stage = Stage.not
    /// What it holds of the session, and of which incarnation.
    var mirror: FoldedMirror?
    var incarnation: Incarnation?
    /// Events with ids that have no answer, oldest first.
    var unanswered: [Call] = []
    /// Events with ids whose answers it got, the newest last.
    var answered: [Call] = []
    /// How many events with ids were accepted.
    var accepted = 0
    /// Whether it will not come back.
    private(set) var hasGone = false
    /// Effects that it has not acknowledged.
    var inbox: [UInt64] = []
    /// The number of the newest effect on this stage.
    var lastEffect: UInt64 = 0
    /// A bet that it was told to place and has not settled.
    var bets: [String] = []

    init(name: String, kind: Kind, session: SessionID, seed: UInt64, world: World) {
        self.name = name
        self.kind = kind
        self.session = session
        self.world = world
        random = SplitMix(seed: seed)
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    func fail(_ sentence: String) { world.fail("\(name): \(sentence)") }

    func demand(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { fail(sentence()) }
    }

    /// Whether the server has a connection of it.
    var isServed: Bool { served.contains(where: \.isServing) }

    /// Whether everything that it wants is so: what must come about in a calm world.
    var isSettled: Bool {
        isConnected && following == .live && unanswered.isEmpty && questions.isEmpty
    }

    var troubles: String {
        "connected \(isConnected), following \(following), questions \(questions), "
            + "\(unanswered.count) unanswered, link \(link?.number ?? 0)"
    }
}

// MARK: - The connection

extension Device {
    /// Connects, or finds out that its connection is dead.
    func tend() {
        if link != nil {
            // The server pings; who hears nothing for so long is not connected any more.
            let patience = world.weather.server.client.pingSeconds * 1000 + 4000
            if world.now - lastHeard > patience + world.weather.latency * 4 { drop(.halfOpen) }
        }
        if link == nil, world.now >= pauseUntil { connect() }
    }

    private func connect() {
        guard let life = world.life, !life.isStopping else { return }
        world.tally.connections += 1
        world.connections += 1
        let connection = Connection(
            number: world.connections, device: self, life: life, world: world)
        link = connection
        served.removeAll { !$0.isServing }
        served.append(connection)
        lastHeard = world.now
        framer = LineFramer(maximumBytes: 1 << 24)
        lastCommand = 0
        lastAnswer = 0
        world.trace("\(name) connects as \(connection.number)")
        life.accept(connection)
        ask(.connect, #""connect":{"data":{"device":"\#(name)"}}"#)
        // An eager one sends everything at once.
        if chance(50) { begin() }
    }

    /// Follows the session, then sends what got no answer.
    func begin() {
        if following == .not { follow() }
        if kind == .phone, stage == .not, chance(50) { wantStage() }
        // With what the session would not know before it is made, a new one waits.
        if incarnation != nil { sendAgain() }
    }

    func sendAgain() {
        let waiting = unanswered
        unanswered = []
        for call in waiting { send(call) }
    }

    func follow() {
        following = .asked
        askToFollow(recovers: chance(95))
    }

    /// Asks to follow, whatever is so now.
    func askToFollow(recovers: Bool) {
        var fields = #""channel":"session:\#(session)""#
        var wanted: StreamPosition?
        if let mirror, recovers {
            let position = StreamPosition(epoch: mirror.epoch, offset: mirror.revision)
            wanted = position
            fields += #","recover":true,"epoch":"\#(position.epoch)","offset":\#(position.offset)"#
        }
        let role = kind == .observer ? "observer" : "mirror"
        fields += #","data":{"role":"\#(role)"}"#
        if chance(50) { fields += #","join_leave":true"# }
        ask(.follow(recover: wanted), #""subscribe":{\#(fields)}"#)
    }

    func ask(_ question: Question, _ body: String) {
        guard let link else { return }
        lastCommand += 1
        questions[lastCommand] = question
        world.trace("\(name) → \(body.prefix(300))")
        link.send(Array(#"{"id":\#(lastCommand),\#(body)}"#.utf8) + [UInt8(ascii: "\n")])
    }

    /// Loses its connection in this way.
    func drop(_ cut: Connection.Cut) {
        guard let link else { return }
        world.tally.drops += 1
        world.trace("\(name) loses \(link.number): \(cut)")
        if cut == .forgotten {
            // It will find out by itself.
            link.breakDown()
        } else {
            link.leave(cut)
            unlink()
        }
    }

    /// Leaves for good.
    func goAway() {
        hasGone = true
        guard let link else { return }
        link.leave(.closed)
        unlink()
    }

    /// The connection is gone, as the other end says.
    func lost(_ connection: Connection) {
        guard connection === link else { return }
        world.trace("\(name) hears that \(connection.number) is over")
        unlink()
    }

    private func unlink() {
        link = nil
        isConnected = false
        following = .not
        stage = .not
        inbox = []
        lastEffect = 0
        var waiting: [(UInt32, Call)] = []
        for (command, question) in questions {
            if case .apply(let call) = question, call.id != nil { waiting.append((command, call)) }
        }
        questions = [:]
        unanswered = waiting.sorted { $0.0 < $1.0 }.map(\.1) + unanswered
        pauseUntil = world.now + Int64(random.next() % 400)
    }

    func received(_ bytes: [UInt8], over connection: Connection) {
        guard connection === link else { return }
        lastHeard = world.now
        world.note(bytes.span)
        var framer = framer
        _ = framer.consume(bytes.span) { line in
            take(line)
            return link === connection && world.problem == nil
        }
        // A new connection has a new one.
        if link === connection { self.framer = framer }
    }

    func pong() {
        link?.send(Array("{}\n".utf8))
    }
}

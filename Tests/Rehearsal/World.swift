import Actors
import Coordinator
import TestSupport

/// One simulated world: its clock, what is planned in it, the disk, the daemon that lives now, and
/// the devices.
final class World {
    let weather: Weather
    var random: SplitMix
    /// Unix milliseconds.
    private(set) var now: Int64 = 1_700_000_000_000
    private var agenda = Agenda()
    let disk: Disk
    /// The daemon; nil while there is none.
    private(set) var life: Life?
    private(set) var devices: [Device] = []
    var tally = Tally()
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var problem: String?
    private(set) var traced: [String] = []
    /// Whether nothing breaks any more.
    var isCalm = false
    /// Whether every device is connected, follows its session, and was answered.
    var isSettled = false
    /// Until when every transaction fails.
    var diskFailsUntil: Int64 = 0
    /// Numbers events.
    var tags: UInt64 = 0
    var connections = 0

    private let traces: Bool
    /// Dead daemons, whose memory must be free by the next death.
    private var dead: [Remains] = []
    /// Tags of events that nobody will send again and that must not be there.
    var refusedTags: Set<UInt64> = []
    /// How often a stage was told to place a bet.
    var offers: [String: Int] = [:]

    /// The connections that were given the stages last, and whose they are.
    private var stages: [SessionID: Holder] = [:]
    private typealias Holder = (
        connection: Connection, device: String, incarnation: Incarnation?
    )

    /// Since when a session shows a stage that no connection holds.
    private var ghosts: [SessionID: Int64] = [:]

    private struct Remains {
        weak var server: Server?
        weak var system: SessionSystem?
    }

    init(seed: UInt64, traces: Bool, lie: Rehearsal.Lie?) {
        self.traces = traces
        random = SplitMix(seed: seed)
        weather = Weather(random: &random)
        disk = Disk(settings: weather.session, lie: lie)
        for (index, count) in weather.devices.enumerated() {
            guard let session = SessionID("s\(index)") else { continue }
            for place in 0..<count {
                let kind = Device.Kind(place: place)
                devices.append(
                    Device(
                        name: "\(kind)-\(index)\(place)", kind: kind, session: session,
                        seed: random.next(), world: self))
            }
        }
    }

    // MARK: - What is told

    /// Something is not as it must be; only the first such thing is kept.
    func fail(_ sentence: @autoclosure () -> String) {
        guard problem == nil else { return }
        let text = sentence()
        problem = "step \(tally.steps), \(now) ms: \(text)"
        trace("PROBLEM: \(text)")
    }

    func demand(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { fail(sentence()) }
    }

    func trace(_ text: @autoclosure () -> String) {
        guard traces else { return }
        if traced.count > 4000 { traced.removeFirst(2000) }
        traced.append("\(tally.steps) \(now - 1_700_000_000_000): \(text())")
    }

    /// Takes bytes that a client got into account.
    func note(_ bytes: Span<UInt8>) {
        var hash = digest ^ UInt64(bitPattern: now)
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        digest = hash
    }

    /// A device has the stage over a connection: an older one of its own must soon be closed.
    func stageMoved(to connection: Connection, of device: String, in session: SessionID) {
        let present = disk.present(session)
        let old = stages.updateValue((connection, device, present), forKey: session)
        guard let old, old.device == device, old.incarnation === present,
            old.connection !== connection
        else { return }
        after(10_000) { [self] in
            demand(!old.connection.isServing, "\(device) came back, and its old connection stays")
        }
    }

    /// A session that somebody follows must soon notice that its stage is gone.
    func lookForGhosts() {
        for device in devices where device.following == .live && device.link?.isServing == true {
            let session = device.session
            guard let stage = disk.present(session)?.state["stage"],
                stage["connected"]?.bool == true, now >= diskFailsUntil,
                !devices.contains(where: { $0.name == stage["device"]?.string && $0.isServed })
            else {
                ghosts[session] = nil
                continue
            }
            let since = ghosts[session, default: now]
            ghosts[session] = since
            demand(now - since < 15_000, "the stage of \(session) is held by nobody")
        }
    }

    /// A revision is durable.
    func revised(_ incarnation: Incarnation, _ revision: UInt64) {
        guard let event = incarnation[revision]?.data["event"] else { return }
        if let tag = event.unsigned("tag") {
            demand(!refusedTags.contains(tag), "event \(tag) was refused and counts")
        }
        switch event["type"]?.string {
        case "stage.detached", "stage.vacated", "stage.taken": stages[incarnation.session] = nil
        default: break
        }
    }

    // MARK: - Time

    /// Plans something for later.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        agenda.plan(at: now + max(0, milliseconds), action)
    }

    /// Lets time go on, and everything happen that is due until then.
    func advance(by milliseconds: Int64) {
        let target = now + milliseconds
        while problem == nil {
            let planned = agenda.next ?? .max
            let timer = life?.loop.nextTimer?.milliseconds ?? .max
            guard min(planned, timer) <= target else { break }
            now = max(now, min(planned, timer))
            moveLoop()
            guard planned <= timer else { continue }
            agenda.take()()
            life?.loop.run()
        }
        now = target
        moveLoop()
    }

    private func moveLoop() {
        guard let loop = life?.loop else { return }
        loop.advance(byMilliseconds: now - loop.now.milliseconds)
    }

    // MARK: - Life and death

    func startDaemon() {
        guard life == nil else { return }
        trace("the daemon starts")
        life = Life(world: self)
    }

    /// The daemon dies; what it has not been told to be durable may be there or not.
    func killDaemon() {
        guard let life else { return }
        trace("the daemon dies")
        dead.removeAll { $0.server == nil && $0.system == nil }
        demand(dead.isEmpty, "the memory of a daemon that died is not free")
        self.life = nil
        ghosts = [:]
        life.die()
        dead.append(Remains(server: life.server, system: life.system))
    }

    /// Whether nothing of dead daemons is left.
    var isClean: Bool { dead.allSatisfy { $0.server == nil && $0.system == nil } }

    // MARK: - Chance

    func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }
}

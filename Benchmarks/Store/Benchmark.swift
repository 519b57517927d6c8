import Actors
import Coordinator
import Glibc
import Security

/// All measurements of one run, in their order.
struct Benchmark {
    let options: Options
    private let key = SealingKey.random().key
    private let loop: UVEventLoop

    init(_ options: Options) throws {
        self.options = options
        loop = try UVEventLoop(name: "bench")
    }

    func run() async throws {
        loop.start()
        if options.fill > 0 { return try await fill() }
        Disk.makeFolder(options.folder)
        Output.note("raw disk")
        let raw = Disk.appends(in: options.folder, seconds: options.seconds)
        var commits: [CommitFigures] = []
        for count in options.sessions {
            Output.note("commits of \(count) sessions")
            commits.append(try await commit(count))
        }
        var stored: StoredFigures?
        if options.stored > 0 { stored = try await storedSessions() }
        let report = Report(raw: raw, commits: commits, stored: stored)
        if options.isJSON { print(JSONWriter.text(of: report.json)) } else { report.print() }
        loop.stop()
        await loop.finished()
    }

    /// Stores sessions where a daemon will find them.
    private func fill() async throws {
        let rig = rig()
        let key = try KeyFile.key(at: options.key, isNeeded: true)
        _ = try await rig.open("\(options.folder)/sessions.sqlite", key: key)
        await rig.store(options.fill, templates: templates)
        _ = await rig.close()
        loop.stop()
        await loop.finished()
    }

    private var templates: [StoredSession] {
        (1...8).map { Viewer.template(UInt64($0), settings: SessionSettings(), at: loop.now) }
    }

    private func rig(_ settings: SessionSettings = SessionSettings()) -> StoreRig {
        StoreRig(loop: loop, settings: settings)
    }

    private func path(_ name: String) -> String { "\(options.folder)/\(name).sqlite" }

    private func commit(_ count: Int) async throws -> CommitFigures {
        let path = path("commit")
        Disk.remove(path)
        let rig = rig()
        _ = try await rig.open(path, key: key)
        await rig.begin(count)
        _ = await rig.play(milliseconds: 500)
        let written = Disk.written
        let samples = await rig.play(milliseconds: options.seconds * 1000)
        let bytes = Disk.written - written
        let sizes = Disk.files(of: path).map(Disk.size)
        await rig.passivateAll()
        _ = await rig.close()
        defer { Disk.remove(path) }
        return CommitFigures(
            sessions: count, samples: samples, written: bytes, running: sizes[0] + sizes[1],
            stopped: Disk.size(path))
    }
}

extension Benchmark {
    /// Loads of each measurement.
    private static let loads = 2000
    private static let busyLoads = 300
    /// Commits in the journal of the crash that no snapshot covers.
    private static let uncovered = 200_000
    private static let crashSessions = 2000

    private func storedSessions() async throws -> StoredFigures {
        let few = try await stored(min(100, options.stored), "few")
        let many = try await stored(options.stored, "many")
        return StoredFigures(few: few, many: many, crash: try await crash())
    }

    private func stored(_ count: Int, _ name: String) async throws -> StoreSizeFigures {
        Output.note("\(count) stored sessions")
        let path = path(name)
        Disk.remove(path)
        let maker = rig()
        _ = try await maker.open(path, key: key)
        let templates = templates
        let start = loop.nanoseconds
        await maker.store(count, templates: templates)
        let made = loop.nanoseconds - start
        let closed = await maker.close()
        let size = Disk.size(path)
        let warm = rig()
        let startWarm = try await warm.open(path, key: key)
        _ = await warm.close()
        Disk.forget(path)
        let rig = rig()
        let startCold = try await rig.open(path, key: key)
        var random: UInt64 = 0x5eed
        let cold = await rig.loads(Self.loads, of: count, from: &random)
        // The same sessions again.
        random = 0x5eed
        let again = await rig.loads(Self.loads, of: count, from: &random)
        await rig.begin(128)
        async let played = rig.play(milliseconds: 600_000, thinking: 20)
        let busy = await rig.loads(Self.busyLoads, of: count, from: &random)
        await rig.stopPlaying()
        _ = await played
        _ = await rig.close()
        if name == "few" { Disk.remove(path) }
        return StoreSizeFigures(
            sessions: count, made: made, closed: closed, size: size, startWarm: startWarm,
            startCold: startCold, cold: cold, warm: again, busy: busy)
    }

    /// Starts over what a crash leaves: many commits that no snapshot covers.
    private func crash() async throws -> CrashFigures {
        Output.note("a crash with \(Self.uncovered) commits that no snapshot covers")
        let (path, copy) = (path("many"), path("crashed"))
        let rig = rig(SessionSettings(snapshots: nil))
        _ = try await rig.open(path, key: key)
        let sessions = min(Self.crashSessions, options.stored)
        await rig.activate(0..<sessions)
        let samples = await rig.play(milliseconds: 600_000, commits: Self.uncovered)
        Disk.copy(path, to: copy)
        let stopped = await rig.close()
        Disk.remove(path)
        Disk.forget(copy)
        let size = Disk.size(copy) + Disk.size(copy + "-wal")
        let after = self.rig()
        let start = try await after.open(copy, key: key)
        var random: UInt64 = 0xdead
        let loads = await after.loads(Self.loads, of: sessions, from: &random)
        _ = await after.close()
        Disk.remove(copy)
        return CrashFigures(
            sessions: sessions, commits: samples.commits, size: size, start: start, loads: loads,
            stopped: stopped)
    }
}

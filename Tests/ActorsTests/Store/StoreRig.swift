import Actors
import Coordinator
import Security
import TestSupport

/// Sessions on a loop that the test moves, over the real store in a folder of the test's own.
final class StoreRig {
    struct Options {
        var durability = StoreDurability.commit
        var settings = SessionSettings()
        var limits = Self.patient
        var damaged = DamagePolicy.setAside
        var note: String?
        var idleSeconds: Int64 = 60
        var sessionsPerUser = 0
        var now = Instant(milliseconds: 1_700_000_000_000)

        /// The test's clock goes faster than any disk.
        private static var patient: StoreLimits {
            var limits = StoreLimits()
            limits.stallSeconds = 1_000_000
            return limits
        }
    }

    let folder: TestFolder
    let key: SealingKey
    let options: Options
    let loop: ManualEventLoop
    let store: SQLiteStore
    let system: SessionSystem
    private(set) var failures: [String?] = []
    private(set) var burials: [Int] = []
    private(set) var damage: [String] = []
    private(set) var pages: [String] = []
    /// Whether everything was on disk when the store was closed.
    private(set) var wasWhole: Bool?
    private var hasClosed = false
    private var nextPeer: UInt64 = 100

    init(
        _ folder: TestFolder? = nil, key: SealingKey = SealingKey.random().key,
        options: Options = Options()
    ) throws {
        self.folder = try folder ?? TestFolder()
        self.key = key
        self.options = options
        loop = ManualEventLoop(now: options.now)
        store = try SQLiteStore(
            path: DataFolder.database(in: self.folder.path), key: key,
            durability: options.durability, settings: options.settings,
            limits: options.limits, damaged: options.damaged, note: options.note, loop: loop)
        system = SessionSystem(
            loop: loop, store: store, settings: options.settings,
            idleSeconds: options.idleSeconds, maximumSessions: 100_000,
            sessionsPerUser: options.sessionsPerUser)
        store.observeFailures { [weak self] in self?.failures.append($0) }
        store.observeBurials { [weak self] in self?.burials.append($0) }
        store.observePages { [weak self] in self?.pages.append($0.text) }
        store.observeDamage { [weak self] in self?.damage.append("\($0.session): \($0.reason)") }
    }

    /// Ends the store as a daemon does, and opens the folder anew.
    func restarted(_ change: (inout Options) -> Void = { _ in }) throws -> StoreRig {
        close()
        return try reopened(folder, change)
    }

    /// Opens a copy of the files as they are on disk now: what a crash would leave.
    func crashed(_ change: (inout Options) -> Void = { _ in }) throws -> StoreRig {
        rest()
        let copy = try TestFolder()
        for name in folder.names where !name.hasSuffix("-shm") {
            try copy.write(folder.bytes(of: name), to: name)
        }
        return try reopened(copy, change)
    }

    private func reopened(
        _ folder: TestFolder, _ change: (inout Options) -> Void
    ) throws -> StoreRig {
        var options = options
        options.now = loop.now
        change(&options)
        return try StoreRig(folder, key: key, options: options)
    }

    func close() {
        guard !hasClosed else { return }
        hasClosed = true
        if options.durability == .memory { system.passivateAll() }
        store.close { self.wasWhole = $0 }
        loop.run { self.wasWhole != nil }
    }

    /// A new connection that sessions can reach.
    func peer() -> RecordingPeer {
        nextPeer += 1
        let peer = RecordingPeer(number: nextPeer)
        system.register(peer)
        return peer
    }

    /// Hands a call to a session and does not wait for the answer.
    func post(
        _ peer: RecordingPeer, _ command: UInt32, _ call: SessionCall, to session: SessionID,
        device: String? = nil, role: Role = .mirror, creates: Bool = false, user: String = ""
    ) {
        let caller = Caller(
            connection: peer.number, client: "c\(peer.number)", user: user,
            device: device ?? "device-\(peer.number)", role: role)
        system.deliver(
            SessionRequest(session: session, caller: caller, command: command, call: call),
            creates: creates)
    }

    /// Hands a call to a session and gives what its connection heard up to the answer.
    @discardableResult
    func ask(
        _ peer: RecordingPeer, _ call: SessionCall, to session: SessionID, device: String? = nil,
        role: Role = .mirror, creates: Bool = false
    ) throws -> Heard {
        post(peer, 7, call, to: session, device: device, role: role, creates: creates)
        var heard = Heard()
        var failure: (any Error)?
        loop.run {
            do {
                for line in peer.heard() { try heard.add(line) }
            } catch {
                failure = error
            }
            return heard.answer != nil || failure != nil
        }
        if let failure { throw failure }
        return heard
    }

    /// Runs until no commit waits.
    func settle() {
        loop.run { self.store.queueDepth == 0 }
    }

    /// Runs until the writer has nothing to do.
    func rest() {
        loop.run { self.store.isAtRest }
    }

    /// Has the closed database look like one of another version.
    func pretend(version: Int) throws {
        let crc = RowChecksum.meta("schema", Array("\(version)".utf8))
        try database().execute(
            """
            PRAGMA user_version = \(version);
            REPLACE INTO meta VALUES('schema', '\(version)', \(crc))
            """)
    }

    /// The database as another process sees it.
    func database() throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(
            path: DataFolder.database(in: folder.path), access: .read)
        try database.execute("PRAGMA busy_timeout = 10000")
        return database
    }
}

/// What a connection heard up to an answer.
struct Heard {
    /// The answer's result, or its error as `{"code", "message"}`.
    var answer: JSON?
    var error: ReplyError?
    var pushes: [(kind: String, payload: JSON)] = []

    mutating func add(_ line: String) throws {
        switch try JSONCodec.decodeServerMessage([UInt8](line.utf8).span) {
        case .ping: break
        case .reply(_, _, let result): answer = result
        case .failure(_, let failure):
            error = failure
            answer = .null
        case .push(_, let kind, let payload): pushes.append((kind, payload))
        }
    }

    /// The revisions pushed, in order.
    var revisions: [UInt64] { pushes.compactMap { $0.payload.unsigned("offset") } }
}

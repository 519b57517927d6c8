import Actors
import Coordinator
import TestSupport
import coordd

/// What a stopped daemon leaves: data folder, key and configuration file.
struct FilledFolder {
    let folder: TestFolder

    var path: String { folder.path }
    var data: String { "\(path)/data" }
    var database: String { DataFolder.database(in: data) }
    var configuration: String { "\(path)/coordd.json" }

    /// Nothing but the configuration file; its key is beside it.
    init() throws {
        folder = try TestFolder()
        try folder.write(
            Array(#"{"data": "data", "ping": {"intervalSeconds": "off"}}"#.utf8), to: "coordd.json")
    }

    /// Adds sessions as a daemon does that passivates them at `idleSince`, or ends before it.
    func add(_ sessions: [String: StoredSession], idleSince: Instant?) throws {
        let sealing = try KeyFile.key(at: folder.file("coordd.key"), isNeeded: false)
        let held = try DataFolder(data)
        let loop = ManualEventLoop(now: Instant(milliseconds: 1_700_000_000_000))
        let store = try SQLiteStore(
            path: held.database, key: sealing, durability: .commit, settings: SessionSettings(),
            loop: loop)
        var settled = 0
        store.observe { settlement in
            if case .committed = settlement { settled += 1 }
        }
        for (name, stored) in sessions {
            guard let id = SessionID(name) else { continue }
            store.append(Commit(sequence: 1, change: .create(stored)), for: id)
        }
        loop.run { store.queueDepth == 0 }
        if let idleSince {
            for (name, stored) in sessions {
                guard let id = SessionID(name) else { continue }
                store.passivate(id, stored, at: idleSince)
            }
        }
        var isClosed = false
        store.close { _ in isClosed = true }
        loop.run { isClosed }
    }

    /// Runs `coordd sessions` on the folder.
    func run(_ arguments: String...) async -> ToolRun {
        await ToolRun(["sessions"] + arguments + ["--config", configuration])
    }

    /// Runs statements on the database.
    func execute(_ sql: String) throws {
        let database = try SQLiteDatabase(path: database, access: .read)
        // The store's thread may still be closing it.
        try database.execute("PRAGMA busy_timeout = 10000")
        try database.execute(sql)
    }

    /// Notes something as a daemon does.
    func note(_ name: String, _ value: String) throws {
        let crc = RowChecksum.meta(name, Array(value.utf8))
        try execute("REPLACE INTO meta VALUES('\(name)', '\(value)', \(crc))")
    }

    /// Every table's rows as text, and the files' names.
    func contents() throws -> [String] {
        let database = try SQLiteDatabase(path: database, access: .inspect)
        var rows: [String] = []
        for (table, columns) in [
            ("meta", 3), ("session", 8), ("snapshot", 7), ("window", 4), ("request", 5),
            ("journal", 9), ("remains", 4), ("quarantine", 11),
        ] {
            let statement = try database.prepare("SELECT * FROM \(table) ORDER BY 1, 2")
            while try statement.step() {
                rows.append(
                    "\(table): "
                        + (0..<Int32(columns)).map { statement.text($0) }.joined(separator: "|"))
            }
        }
        return rows
    }
}

extension StoredSession {
    /// The session at the end of a transcript.
    ///
    /// Its replay window has the newest revision, with an event whose type would steer a terminal.
    static func played(_ lines: String) throws -> StoredSession {
        let transcript = try Transcript(Array(lines.utf8))
        var player = TranscriptPlayer(policy: Policy(), isStrict: false)
        for step in transcript.steps { _ = player.play(step) }
        var requests = RequestMemory(idsPerDevice: 256, maximumDevices: 64)
        requests.remember(JSONObject(), for: .init(device: "tablet", id: "once"))
        var history = History(size: 256, seconds: 600, top: player.revision - 1)
        let data = #"{"by":{"role":"system"},"event":{"type":"page.\u001bfailed"},"patch":{}}"#
        history.append(
            Publication(offset: player.revision, data: Array(data.utf8)),
            at: Instant(milliseconds: 1_700_000_000_500))
        return StoredSession(
            epoch: "epoch-\(player.revision)", revision: player.revision, viewing: player.viewing,
            requests: requests, history: history)
    }

    /// A new session.
    static func new() -> StoredSession {
        StoredSession(
            epoch: "epoch-0", revision: 0, viewing: Viewing(),
            requests: RequestMemory(idsPerDevice: 256, maximumDevices: 64),
            history: History(size: 256, seconds: 600))
    }
}

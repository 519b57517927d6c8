import Actors
import Coordinator

/// `coordd sessions import`: the sessions of an export, all or none.
struct SessionsImport {
    let file: String
    let isReplacing: Bool
    let isJSON: Bool

    /// Ids that are named when they are there already; whoever has more knows enough.
    private static let namedLimit = 10

    /// Checks all of the file, then writes all of it in one transaction.
    func run(_ context: FolderWork.Context) throws -> ExitCode {
        let configuration = context.configuration
        // Standard input or a pipe takes its time.
        let input = try context.waiting { try ReadableFile(file) }
        let key = try KeyFile.key(at: configuration.secrets.keyFile, isNeeded: true)
        do {
            var folder: DataFolder?
            if DataFolder.hasDatabase(in: configuration.data) {
                folder = try DataFolder(withDatabase: configuration.data)
            }
            guard let count = try check(input, key, in: folder, context) else {
                return context.isStopped() ? .interrupted : .failed
            }
            // Nothing is made before the file is known to be good.
            let target = try folder ?? DataFolder(configuration.data)
            return try withExtendedLifetime(target) {
                try write(input, count, key, in: target, context)
            }
        } catch let fault as ExportFault {
            context.complain("\(file): \(fault); nothing was imported")
        } catch let refusal as StoreEditor.Refusal {
            context.complain("\(refusal); nothing was imported")
        }
        return .failed
    }

    /// Reads the whole file; gives how many sessions it has, nil when they are not to be imported.
    private func check(
        _ input: ReadableFile, _ key: KeyFile.Key, in folder: DataFolder?,
        _ context: FolderWork.Context
    ) throws -> Int? {
        let settings = context.configuration.sessionSettings
        let present = try folder.map { folder in
            try StoredSessions(path: folder.database, key: key, settings: settings)
        }
        var reader = ExportReader(input, key: key, settings: settings)
        var known: [String] = []
        let (show, clear) = context.bar()
        defer { clear() }
        let size = input.size
        while let document = try reader.next() {
            guard !context.isStopped() else { return nil }
            show(reader.offset, size, "bytes checked")
            guard !isReplacing, known.count <= Self.namedLimit,
                try present?.has(document.id) ?? false
            else { continue }
            known.append(document.id.description)
        }
        guard known.isEmpty else {
            let more = known.count > Self.namedLimit ? " and more" : ""
            let names = known.prefix(Self.namedLimit).joined(separator: ", ")
            context.complain(
                "there are sessions of these ids in \(context.configuration.data) already: "
                    + "\(names)\(more); nothing was imported, --replace has them give way")
            return nil
        }
        return reader.count
    }

    private func write(
        _ input: ReadableFile, _ count: Int, _ key: KeyFile.Key, in folder: DataFolder,
        _ context: FolderWork.Context
    ) throws -> ExitCode {
        let configuration = context.configuration
        try folder.reserveDatabase()
        let editor = try StoreEditor(
            path: folder.database, key: key, settings: configuration.sessionSettings,
            durability: configuration.durability, note: configuration.secrets.keyFile,
            now: SystemClock.now)
        for finding in editor.findings { context.complain(finding.text) }
        var reader = ExportReader(input, key: key, settings: configuration.sessionSettings)
        var adoptions: [StoreEditor.Adoption] = []
        var tally = Tally()
        let (show, clear) = context.bar()
        defer { clear() }
        do {
            try editor.adopt(replacing: isReplacing, next: { try reader.next() }) { adoption in
                if context.isStopped() { throw StoreVerification.Stopped() }
                tally.add(adoption)
                if isJSON { adoptions.append(adoption) }
                show(tally.sessions, count, "sessions")
            }
        } catch {
            // What was there stays, as after any other stop.
            try? editor.close()
            throw error
        }
        try editor.close()
        clear()
        context.work.console.print(
            isJSON
                ? PlainText.json(Self.json(tally, adoptions)) + "\n"
                : tally.text(configuration.data))
        return .done
    }

    private static func json(_ tally: Tally, _ adoptions: [StoreEditor.Adoption]) -> JSON {
        [
            "imported": .integer(tally.sessions), "replaced": .integer(tally.replaced),
            "sessions": .array(
                adoptions.map { adoption in
                    [
                        "session": .string(adoption.id.description),
                        "epoch": .string(adoption.epoch), "rev": .integer(adoption.revision),
                        "replaced": .bool(adoption.isReplacement),
                        "rememberedBets": .integer(adoption.merged),
                    ]
                }),
        ]
    }

    private struct Tally {
        var sessions = 0
        var replaced = 0
        var merged = 0

        mutating func add(_ adoption: StoreEditor.Adoption) {
            sessions += 1
            if adoption.isReplacement { replaced += 1 }
            if adoption.merged > 0 { merged += 1 }
        }

        func text(_ folder: String) -> String {
            let words = sessions == 1 ? "1 session" : "\(sessions) sessions"
            var text = "imported \(words) into \(PlainText.escaped(folder))"
            if replaced > 0 { text += ", \(replaced) in place of one that was there" }
            if merged > 0 { text += "; bets that were remembered of \(merged) stay so" }
            return text + "\nEach has a new epoch: devices get a snapshot when they come back.\n"
        }
    }
}

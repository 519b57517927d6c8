import Actors
import Coordinator

/// `coordd sessions delete`: sessions of a stopped daemon, all that are named or none.
struct SessionsDeletion {
    let ids: [SessionID]
    let takesDamaged: Bool
    let isJSON: Bool

    /// Looks whether all can be deleted, then deletes them in one transaction.
    func run(_ context: FolderWork.Context) throws -> ExitCode {
        let configuration = context.configuration
        let folder = try DataFolder(withDatabase: configuration.data)
        let key = try KeyFile.key(at: configuration.secrets.keyFile, isNeeded: true)
        return try withExtendedLifetime(folder) {
            let faults = try faults(in: folder, key, configuration)
            guard faults.isEmpty else {
                for fault in faults { context.complain(fault) }
                context.complain("nothing was deleted")
                return .failed
            }
            let editor = try StoreEditor(
                path: folder.database, key: key, settings: configuration.sessionSettings,
                durability: configuration.durability, note: configuration.secrets.keyFile,
                now: SystemClock.now)
            for finding in editor.findings { context.complain(finding.text) }
            let deletions: [StoreEditor.Deletion]
            do {
                deletions = try editor.delete(ids, damaged: takesDamaged)
            } catch {
                try? editor.close()
                context.complain("\(error); nothing was deleted")
                return .failed
            }
            try editor.close()
            context.work.console.print(
                isJSON
                    ? PlainText.json(["deleted": .array(deletions.map(Self.json))]) + "\n"
                    : deletions.map { Self.text($0, configuration) }.joined())
            return .done
        }
    }

    /// What is in the way of each.
    private func faults(
        in folder: DataFolder, _ key: KeyFile.Key, _ configuration: Configuration
    ) throws -> [String] {
        let sessions = try StoredSessions(
            path: folder.database, key: key, settings: configuration.sessionSettings)
        var faults: [String] = []
        for id in ids {
            guard let found = try sessions.session(id) else {
                faults.append("there is no session \(id) in \(folder.path)")
                continue
            }
            guard !takesDamaged, case .damaged(let reason) = found.content else { continue }
            faults.append(
                "session \(id) is damaged: \(reason); --damaged deletes it and keeps its rows in "
                    + "the table quarantine")
        }
        return faults
    }

    private static func json(_ deletion: StoreEditor.Deletion) -> JSON {
        var object = JSONObject()
        object.append("session", .string(deletion.id.description))
        object.append("rev", ifPresent: deletion.revision.map { .integer($0) })
        object.append("rememberedBets", .integer(deletion.placements))
        object.append("fault", ifPresent: deletion.fault.map { .string($0) })
        return .object(object)
    }

    private static func text(
        _ deletion: StoreEditor.Deletion, _ configuration: Configuration
    ) -> String {
        var text = "deleted \(deletion.id)"
        if let revision = deletion.revision { text += " at rev \(revision)" }
        if let fault = deletion.fault {
            text +=
                ", which was damaged (\(PlainText.escaped(fault))); its rows are in the table "
                + "quarantine"
        }
        if deletion.placements > 0 {
            let bets = deletion.placements == 1 ? "1 bet" : "\(deletion.placements) bets"
            text +=
                "; \(bets) will be remembered for \(configuration.bounds.placementSeconds) s"
        } else if deletion.fault != nil {
            text += "; no bet of it could be found"
        }
        return text + "\n"
    }
}

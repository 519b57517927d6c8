import Actors
import Coordinator

/// `coordd sessions export`: sessions as JSON lines.
struct SessionsExport {
    let selection: SessionsOptions.Selection
    /// The file; nil: standard output.
    let output: String?
    let key: KeyFile.Key

    private static let pageSize = 100

    /// Writes what is selected, in the order of the ids; damaged sessions are named and left out.
    func run(
        _ sessions: StoredSessions, in folder: DataFolder, _ context: FolderWork.Context
    ) throws -> ExitCode {
        if case .some(let ids) = selection {
            let unknown = try ids.filter { try sessions.session($0) == nil }
            guard unknown.isEmpty else {
                let names = unknown.map(\.description).joined(separator: ", ")
                context.complain("there is no session \(names) in \(folder.path)")
                return .failed
            }
        }
        let keyFile = context.configuration.secrets.keyFile
        let file = try output.map { path throws(SystemFault) in
            try OutputFile(path, outside: folder.path, sparing: [keyFile])
        }
        let print = context.work.console.print
        var writer = try ExportWriter(
            key: key, program: "coordd \(Version.text)", at: SystemClock.now
        ) { line throws(SystemFault) in
            if let file {
                try file.write(line)
            } else {
                print(String(decoding: line, as: UTF8.self))
            }
        }
        let (show, clear) = context.bar()
        var damaged = 0
        let total = try sessions.extent(after: "", limit: .max).count
        let code = try each(sessions) { found in
            if context.isStopped() { return .interrupted }
            if file == nil, OutputPipe.isBroken { return .failed }
            switch found.content {
            case .damaged(let reason):
                damaged += 1
                context.complain("session \(found.id) is damaged and left out: \(reason)")
            case .stored(let stored):
                guard let id = SessionID(found.id) else { break }
                try writer.add(SessionDocument(id: id, stored: stored, idleSince: found.idleSince))
                if file != nil { show(writer.count, total, "sessions") }
            }
            return nil
        }
        clear()
        if let code { return code }
        try writer.end()
        try file?.publish()
        if let output {
            let words = writer.count == 1 ? "1 session" : "\(writer.count) sessions"
            print("exported \(words) to \(PlainText.escaped(output))\n")
        }
        return damaged == 0 ? .done : .failed
    }

    /// Hands over what is selected until `take` gives an exit code.
    private func each(
        _ sessions: StoredSessions, _ take: (FoundSession) throws -> ExitCode?
    ) throws -> ExitCode? {
        switch selection {
        case .some(let ids):
            let sorted = ids.sorted { left, right in
                left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
            }
            for id in sorted {
                guard let found = try sessions.session(id) else { continue }
                if let code = try take(found) { return code }
            }
        case .all: return try each(sessions, after: "", prefix: "", take)
        case .prefix(let prefix):
            // It may be an id itself; all others with it come right behind.
            if let id = SessionID(prefix), let found = try sessions.session(id),
                let code = try take(found)
            {
                return code
            }
            return try each(sessions, after: prefix, prefix: prefix, take)
        }
        return nil
    }

    private func each(
        _ sessions: StoredSessions, after start: String, prefix: String,
        _ take: (FoundSession) throws -> ExitCode?
    ) throws -> ExitCode? {
        var last = start
        while true {
            let page = try sessions.page(after: last, limit: Self.pageSize)
            guard let newest = page.last?.id else { return nil }
            last = newest
            for found in page {
                guard found.id.utf8.starts(with: prefix.utf8) else { return nil }
                if let code = try take(found) { return code }
            }
        }
    }
}

import Actors
import Coordinator

/// `coordd sessions list`, `show` and `delete` over the HTTP API of a running daemon.
///
/// Confined to its loop.
final class RemoteSessions {
    private let options: SessionsOptions
    private let remote: SessionsOptions.Remote
    private let console: Console
    private let client: HTTPClient
    private let finish: (ExitCode) -> Void

    /// Rows, and publications, that are asked for at a time.
    private static let pageSize = 200

    /// Work that ends with `finish`, once.
    init(
        _ options: SessionsOptions, _ remote: SessionsOptions.Remote, apiKey: String?,
        loop: UVEventLoop, console: Console, finish: @escaping (ExitCode) -> Void
    ) {
        self.options = options
        self.remote = remote
        self.console = console
        self.finish = finish
        client = HTTPClient(
            loop: loop, address: remote.address, apiKey: apiKey, tls: remote.tls)
    }

    /// Begins.
    func start() {
        switch options.action {
        case .list(let limit, let after):
            list(
                SessionsTable(.daemon, isJSON: options.json, print: console.print),
                after: after ?? "", limit: limit ?? .max)
        case .show(let id): show(id)
        case .delete(let ids, _): check(ids)
        case .export, .adopt: preconditionFailure("\(options.name) is refused with --connect")
        }
    }

    /// Ends early.
    func interrupt() { end(.interrupted) }

    private func end(_ code: ExitCode) {
        client.close()
        finish(code)
    }

    private func complain(_ text: String) {
        console.complain("coordd \(options.name): \(PlainText.escaped(text))\n")
    }

    /// Asks, and hands on an answer of the wanted status; any other one ends the work.
    private func ask(
        _ method: String, _ path: String, _ wanted: Int = 200, about id: SessionID? = nil,
        then: @escaping (JSON) -> Void
    ) {
        client.request(method, path) { [self] result in
            switch result {
            case .failure(let failure):
                complain("\(remote.address): \(failure)")
                end(.failed)
            case .success(let answer) where answer.status == wanted: then(answer.json)
            case .success(let answer):
                let detail = answer.json["detail"]?.string ?? "an unexpected answer"
                let text =
                    answer.json["code"] == 102 && id != nil
                    ? "there is no session \(id?.description ?? "") in \(remote.address)"
                    : "\(remote.address): \(answer.status) \(detail)"
                complain(text)
                end(.failed)
            }
        }
    }

    /// A name as it stands in a path or a query.
    private static func encoded(_ name: String) -> String {
        name.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
    }
}

// MARK: - List

extension RemoteSessions {
    private func list(_ table: SessionsTable, after start: String, limit: Int) {
        let size = min(Self.pageSize, limit - table.count)
        let after = start.isEmpty ? "" : "&after=\(Self.encoded(start))"
        let isFirst = table.count == 0
        ask("GET", "/v1/sessions?limit=\(size)\(after)") { [self, table] page in
            var table = table
            let rows = (page["sessions"]?.array ?? []).map(Self.row)
            if isFirst { table.begin(longestID: rows.map(\.id.count).max() ?? 0) }
            table.add(rows)
            let next = page["next"]?.string
            if OutputPipe.isBroken { return end(.failed) }
            if let next, table.count < limit, !rows.isEmpty {
                return list(table, after: next, limit: limit)
            }
            table.end(next: next)
            end(table.damaged == 0 ? .done : .failed)
        }
    }

    private static func row(_ json: JSON) -> SessionsTable.Row {
        let text = { (key: String) -> String in
            switch json[key] {
            case .string(let text)?: text
            case .number(let number)?: number.text
            case .bool(let truth)?: truth ? "yes" : "no"
            case .null?, .array?, .object?, nil: "-"
            }
        }
        let fault = json["fault"]?.string
        return SessionsTable.Row(
            id: text("session"),
            cells: fault == nil
                ? ["epoch", "rev", "vendor", "phase", "clients", "stored"].map(text) : nil,
            fault: fault, json: json)
    }
}

// MARK: - Show

extension RemoteSessions {
    private func show(_ id: SessionID) {
        ask("GET", "/v1/sessions/\(Self.encoded(id.description))", about: id) { [self] state in
            window(
                SessionReport(
                    id: id.description, epoch: state["epoch"]?.string ?? "",
                    revision: state["rev"]?.number?.unsigned ?? 0, state: state["state"] ?? .null,
                    window: []),
                of: id, since: 0)
        }
    }

    /// Reads the replay window up to the revision that was read before, and prints.
    private func window(_ report: SessionReport, of id: SessionID, since: UInt64) {
        let path = "/v1/sessions/\(Self.encoded(id.description))/history"
        ask("GET", "\(path)?limit=\(Self.pageSize)&since=\(since)", about: id) { [self] page in
            var report = report
            let found = (page["publications"]?.array ?? []).compactMap { publication in
                publication["offset"]?.number?.unsigned.map { offset in
                    SessionReport.WindowEntry(offset: offset, data: publication["data"])
                }
            }
            report.window += found.filter { $0.offset <= report.revision }
            if let last = found.last?.offset, last > since, last < report.revision {
                return window(report, of: id, since: last)
            }
            console.print(options.json ? PlainText.json(report.json) + "\n" : report.text)
            end(.done)
        }
    }
}

// MARK: - Delete

extension RemoteSessions {
    /// Looks whether all are there before the first one goes.
    private func check(_ ids: [SessionID], _ revisions: [UInt64] = []) {
        guard revisions.count < ids.count else { return delete(ids, revisions, 0) }
        let id = ids[revisions.count]
        ask("GET", "/v1/sessions/\(Self.encoded(id.description))", about: id) { [self] state in
            check(ids, revisions + [state["rev"]?.number?.unsigned ?? 0])
        }
    }

    private func delete(_ ids: [SessionID], _ revisions: [UInt64], _ index: Int) {
        guard index < ids.count else {
            if options.json {
                let deleted = zip(ids, revisions).map { id, revision -> JSON in
                    ["session": .string(id.description), "rev": .integer(revision)]
                }
                console.print(PlainText.json(["deleted": .array(deleted)]) + "\n")
            }
            return end(.done)
        }
        let id = ids[index]
        let path = "/v1/sessions/\(Self.encoded(id.description))"
        ask("DELETE", path, 204, about: id) { [self] _ in
            if !options.json { console.print("deleted \(id) at rev \(revisions[index])\n") }
            delete(ids, revisions, index + 1)
        }
    }
}

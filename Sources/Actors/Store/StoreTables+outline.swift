internal import Coordinator

extension StoreTables {
    /// Levels of what is stored, as ``SessionRecord`` reads it.
    private static let maximumDepth = JSONParser.maximumDepth + 8

    /// The ids of the sessions after `start`, `limit` at most.
    func ids(after start: String, limit: Int) throws(SQLiteError) -> [String] {
        getIDs.bind(1, start)
        getIDs.bind(2, Int64(limit))
        defer { getIDs.reset() }
        var ids: [String] = []
        while try getIDs.step() { ids.append(getIDs.text(0)) }
        return ids
    }

    /// What a list says of a session; nil when there is none.
    ///
    /// Neither windows nor remembered ids are read.
    func outline(
        of id: SessionID, _ index: JournalIndex
    ) throws(SQLiteError) -> SessionOutline? {
        do {
            guard let head = try head(of: id) else { return nil }
            let snapshot = try snapshot(of: head.key)
            var state = try Self.parse(snapshot.body)["state"] ?? .null
            var revision = UInt64(bitPattern: snapshot.revision)
            var chain = snapshot.chain
            let run = index[head.key]
            guard run.map({ $0.first == snapshot.number + 1 && $0.gap == nil }) ?? true else {
                throw StorageFault("commits are missing", at: ["journal"])
            }
            for (place, seq) in (run?.seqs ?? []).enumerated() {
                let number = snapshot.number + 1 + Int64(place)
                let entry = try entry(seq, number: number, of: head.key, &chain)
                revision = entry.revision
                guard let publication = entry.publication else { continue }
                let patch = try Self.parse(publication)["patch"] ?? .object(JSONObject())
                state = MergePatch.apply(patch, to: state)
            }
            return SessionOutline(
                id: id,
                content: .known(
                    epoch: head.epoch, revision: revision, vendor: state["vendor"]?.string,
                    phase: state["player"]?["phase"]?.string ?? ""))
        } catch let fault as StorageFault {
            return SessionOutline(id: id, content: .damaged("\(fault)"))
        } catch let error as SQLiteError {
            guard error.isDamage else { throw error }
            hasDamagedPages = true
            return SessionOutline(id: id, content: .damaged("the database: \(error.reason)"))
        } catch {
            return SessionOutline(id: id, content: .damaged("it cannot be read"))
        }
    }

    private static func parse(_ text: [UInt8]) throws(StorageFault) -> JSON {
        guard let root = try? JSONParser.parse(text.span, maximumDepth: maximumDepth).root else {
            throw StorageFault("JSON is expected", at: [])
        }
        return root
    }
}

import Actors
import Coordinator

/// What `coordd verify` found, as tables that are pleasant to read, and for programs.
struct VerificationTable {
    let report: StoreVerification.Report
    let policy: DamagePolicy

    /// Everything, for programs.
    var json: JSON {
        [
            "whole": .bool(report.isWhole),
            "checked": .array(
                report.counts.map { count in
                    [
                        "what": .string(count.name), "table": .string(count.table),
                        "count": .integer(count.count),
                    ]
                }),
            "damaged": .integer(report.damageCount),
            "damage": .array(report.damage.map(row)),
            "remarks": .array(report.remarks.map { .string($0) }),
            "transaction": .integer(report.sequence),
        ]
    }

    private func row(_ damage: StoreVerification.Damage) -> JSON {
        var object = JSONObject()
        object.append("table", .string(damage.table))
        object.append("row", .string(damage.row))
        object.append("session", ifPresent: damage.session.map { .string($0) })
        object.append("fault", .string(damage.reason))
        object.append("next", .string(words(damage.consequence)))
        return .object(object)
    }

    /// Everything, for people.
    var text: String {
        var lines = Self.columns(
            [["CHECKED", "COUNT", "DAMAGED"]]
                + report.counts.map { count in
                    let damaged = report.damage.count { $0.table == count.table }
                    return [count.name, "\(count.count)", damaged == 0 ? "-" : "\(damaged)"]
                }, right: [1, 2])
        if !report.damage.isEmpty {
            lines += [""]
            lines += Self.columns(
                [["TABLE", "ROW", "SESSION", "WHAT IS WRONG", "WHAT THE NEXT DAEMON DOES"]]
                    + report.damage.map { damage in
                        [
                            damage.table, damage.row.isEmpty ? "-" : damage.row,
                            damage.session ?? "-", damage.reason, words(damage.consequence),
                        ]
                    }, right: [])
        }
        if report.damageCount > report.damage.count {
            lines.append("and \(report.damageCount - report.damage.count) more")
        }
        lines += report.remarks.map { "note: \(PlainText.escaped($0))" }
        lines.append(
            report.isWhole
                ? "whole: nothing is damaged, up to transaction \(report.sequence)"
                : report.damageCount == 1
                    ? "damaged: 1 place" : "damaged: \(report.damageCount) places")
        return lines.joined(separator: "\n") + "\n"
    }

    private func words(_ consequence: StoreVerification.Consequence) -> String {
        switch consequence {
        case .salvage: "copies what can be read into a new database"
        case .newEpochs: "gives sessions that may have lost something new epochs"
        case .session:
            switch policy {
            case .setAside: "sets the session aside (store.damaged setAside)"
            case .newEpoch: "goes on from its last good state (store.damaged newEpoch)"
            }
        case .placements:
            switch policy {
            case .setAside: "refuses a new session of this id (store.damaged setAside)"
            case .newEpoch: "forgets these bets (store.damaged newEpoch)"
            }
        case .kept: "does not delete it by age"
        case .recount: "counts the sessions anew"
        case .miscount: "goes on counting from these numbers"
        case .revoked: "revokes all tokens issued until it starts"
        case .unrevoked: "goes on with the revocations that are there"
        case .rewrite: "writes it anew"
        case .none: "nothing: nobody can ask for it"
        }
    }

    private static func columns(_ rows: [[String]], right: Set<Int>) -> [String] {
        let rows = rows.map { row in row.map(PlainText.escaped) }
        let widths = (0..<(rows.first?.count ?? 0)).map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.count)
                if right.contains(column) { return blanks + text }
                return column == row.count - 1 ? text : text + blanks
            }
            return cells.joined(separator: "  ")
        }
    }
}

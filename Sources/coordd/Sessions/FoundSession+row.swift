import Actors
import Coordinator

extension FoundSession {
    /// The session in a list for programs (contract: protocol, HTTP, `/v1/sessions`).
    ///
    /// Of a damaged one nothing but the fault is known.
    var row: JSON {
        var object = JSONObject()
        object.append("session", .string(id))
        switch content {
        case .stored(let stored):
            let state = stored.viewing.state
            object.append("epoch", .string(stored.epoch))
            object.append("rev", .integer(stored.revision))
            object.append("vendor", ifPresent: state.vendor.map { .string($0.rawValue) })
            object.append("phase", .string(state.player.phase.rawValue))
            object.append("stage", ifPresent: state.stage?.row)
            object.append("clients", 0)
            object.append("stored", true)
            object.append("journal", .integer(stored.mark.commits))
            object.append("bytes", .integer(bytes))
        case .damaged(let reason):
            object.append("clients", 0)
            object.append("stored", true)
            object.append("fault", .string(reason))
        }
        object.append("idleSince", ifPresent: idleSince.map { .integer($0.milliseconds) })
        return .object(object)
    }

    /// Since when nobody uses it, in words.
    var idleness: String {
        idleSince.map { CivilTime($0).text } ?? "in use when stopped"
    }
}

extension StageState {
    fileprivate var row: JSON {
        ["device": .string(device), "connected": .bool(connected)]
    }

    /// Device and connection in words.
    var words: String { "\(device) \(connected ? "connected" : "disconnected")" }
}

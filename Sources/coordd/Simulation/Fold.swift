package import Coordinator

/// Folds merge patches (RFC 7396) the way a second screen does.
///
/// Written apart from the daemon's own merge code on purpose: a mistake there must show as a
/// difference between a mirror and the server, not cancel out.
package enum Fold {
    /// The document after `patch` was laid over `document`; nil stands for no document.
    package static func folding(_ patch: JSON, over document: JSON?) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var members = document?.object?.members ?? []
        for change in changes.members {
            let place = members.firstIndex { $0.key.hasSameBytes(as: change.key) }
            switch (place, change.value) {
            case (let place?, .null):
                members.remove(at: place)
            case (nil, .null):
                break
            case (let place?, let value):
                members[place].value = folding(value, over: members[place].value)
            case (nil, let value):
                members.append(.init(key: change.key, value: folding(value, over: nil)))
            }
        }
        return .object(JSONObject(members))
    }

    /// The one text of a value: members sorted by the bytes of their names, no blanks.
    package static func canonicalText(_ value: JSON) -> String {
        JSONWriter.text(of: sorted(value))
    }

    private static func sorted(_ value: JSON) -> JSON {
        switch value {
        case .object(let object):
            let members = object.members.map {
                JSONObject.Member(key: $0.key, value: sorted($0.value))
            }
            return .object(
                JSONObject(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
        case .array(let elements): return .array(elements.map(sorted))
        case .null, .bool, .number, .string: return value
        }
    }

    /// Where two values first differ and how, such as `betslip.stake: 10.00 here, 12.00 there`;
    /// nil when their canonical texts are equal.
    package static func firstDifference(_ here: JSON?, _ there: JSON?, path: String = "") -> String?
    {
        switch (here, there) {
        case (nil, nil): return nil
        case (.object(let left)?, .object(let right)?):
            for member in left.members {
                let name = path.isEmpty ? member.key : "\(path).\(member.key)"
                if let found = firstDifference(member.value, right[member.key], path: name) {
                    return found
                }
            }
            for member in right.members where left[member.key] == nil {
                let name = path.isEmpty ? member.key : "\(path).\(member.key)"
                return firstDifference(nil, member.value, path: name)
            }
            return nil
        case (.array(let left)?, .array(let right)?) where left.count == right.count:
            for (index, pair) in zip(left, right).enumerated() {
                if let found = firstDifference(pair.0, pair.1, path: "\(path)[\(index)]") {
                    return found
                }
            }
            return nil
        default:
            let left = here.map(canonicalText) ?? "absent"
            let right = there.map(canonicalText) ?? "absent"
            guard !left.hasSameBytes(as: right) else { return nil }
            return "\(path.isEmpty ? "the state" : path): \(left) here, \(right) there"
        }
    }
}

/// JSON merge patches (RFC 7396).
package enum MergePatch {
    /// The patch that turns `old` into `new`; nil when they are equal.
    ///
    /// `new` must hold no `null` in objects, since a patch cannot carry one.
    package static func diff(from old: JSON, to new: JSON) -> JSON? {
        guard old != new else { return nil }
        guard case .object(let before) = old, case .object(let after) = new else { return new }
        var patch = JSONObject()
        for member in after.members {
            guard let value = before[member.key] else {
                patch.append(member.key, member.value)
                continue
            }
            patch.append(member.key, ifPresent: diff(from: value, to: member.value))
        }
        for member in before.members where after[member.key] == nil {
            patch.append(member.key, .null)
        }
        // Objects that differ only in the order of members are equal, so something is in here.
        return .object(patch)
    }

    /// The target with the patch applied, as section 2 of the RFC has it.
    package static func apply(_ patch: JSON, to target: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var result = target.object ?? JSONObject()
        for member in changes.members {
            if member.value.isNull {
                result[member.key] = nil
            } else {
                result[member.key] = apply(member.value, to: result[member.key] ?? .null)
            }
        }
        return .object(result)
    }
}

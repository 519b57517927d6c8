/// JSON merge patches (RFC 7396).
package enum MergePatch {
    /// The patch that turns `old` into `new`; nil when they are equal.
    ///
    /// `new` must hold no `null` in objects, since a patch cannot carry one.
    package static func diff(from old: JSON, to new: JSON) -> JSON? {
        guard case .object(let before) = old, case .object(let after) = new else {
            return old == new ? nil : new
        }
        var patch = JSONObject()
        // Mostly the members are the same ones in the same order.
        for (index, member) in after.members.enumerated() {
            guard let value = before.value(of: member.key, near: index) else {
                patch.append(member.key, member.value)
                continue
            }
            patch.append(member.key, ifPresent: diff(from: value, to: member.value))
        }
        for (index, member) in before.members.enumerated()
        where after.value(of: member.key, near: index) == nil {
            patch.append(member.key, .null)
        }
        return patch.isEmpty ? nil : .object(patch)
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

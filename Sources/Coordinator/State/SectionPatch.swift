/// The merge patch of one section, found member by member.
///
/// Members come in the order of the section's JSON, those that were removed behind all others: as
/// ``MergePatch/diff(from:to:)`` of the whole has it, without writing down what did not change.
struct SectionPatch {
    private var changes = JSONObject()
    private var removals: [String] = []

    /// Compares a text by its bytes.
    mutating func text(_ key: String, from old: String?, to new: String?) {
        switch (old, new) {
        case (let old?, let new?) where old.hasSameBytes(as: new): break
        case (_, let new?): changes.append(key, .string(new))
        case (_?, nil): removals.append(key)
        case (nil, nil): break
        }
    }

    /// Compares a value that has one text only; it is turned into JSON when it differs.
    mutating func value<Value: Equatable>(
        _ key: String, from old: Value, to new: Value, _ json: (Value) -> JSON
    ) {
        if old != new { changes.append(key, json(new)) }
    }

    /// Compares what is JSON already.
    mutating func json(_ key: String, from old: JSON?, to new: JSON?) {
        switch (old, new) {
        case (let old?, let new?):
            changes.append(key, ifPresent: MergePatch.diff(from: old, to: new))
        case (nil, let new?): changes.append(key, new)
        case (_?, nil): removals.append(key)
        case (nil, nil): break
        }
    }

    /// The patch; nil when nothing differs.
    var json: JSON? {
        guard !changes.isEmpty || !removals.isEmpty else { return nil }
        var patch = changes
        for key in removals { patch.append(key, .null) }
        return .object(patch)
    }
}

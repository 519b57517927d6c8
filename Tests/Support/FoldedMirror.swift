package import Coordinator

/// A mirror as the contract describes it: a snapshot, and patches laid over it one by one.
///
/// Its fold is written apart from the server's, so that a mistake there shows as a difference.
package struct FoldedMirror {
    /// The incarnation of the stream.
    package private(set) var epoch: String
    /// The revision that the state is of.
    package private(set) var revision: UInt64
    /// The state so far.
    package private(set) var state: JSON

    /// Begins with the result of a subscribe that brought a snapshot; nil when it did not.
    package init?(subscribed result: JSON) {
        guard let epoch = result["epoch"]?.string, let data = result["data"],
            let revision = data.unsigned("rev"), revision == result.unsigned("offset"),
            let state = data["state"]
        else { return nil }
        self.epoch = epoch
        self.revision = revision
        self.state = state
    }

    /// Takes a publication; false when it is not the next revision.
    package mutating func take(publication: JSON) -> Bool {
        guard let offset = publication.unsigned("offset"), offset == revision + 1,
            let data = publication["data"], data.unsigned("rev") == offset,
            let patch = data["patch"]
        else { return false }
        revision = offset
        state = Self.fold(patch, over: state)
        return true
    }

    /// RFC 7396, section 2.
    private static func fold(_ patch: JSON, over target: JSON?) -> JSON {
        guard let changes = patch.object else { return patch }
        var result = target?.object ?? JSONObject()
        for change in changes.members {
            result[change.key] =
                change.value.isNull ? nil : fold(change.value, over: result[change.key])
        }
        return .object(result)
    }
}

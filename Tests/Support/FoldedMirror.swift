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

    /// What came is not what a mirror may expect: a snapshot, or the next revision.
    package struct Unexpected: Error, CustomStringConvertible {
        /// What came, and after which revision.
        package var description: String
    }

    /// Begins with a state known otherwise.
    package init(epoch: String, revision: UInt64, state: JSON) {
        self.epoch = epoch
        self.revision = revision
        self.state = state
    }

    /// Begins with the result of a subscribe that brought a snapshot.
    ///
    /// - Throws: ``Unexpected`` when it did not.
    package init(subscribed result: JSON) throws(Unexpected) {
        guard let epoch = result["epoch"]?.string, let data = result["data"],
            let revision = data.unsigned("rev"), revision == result.unsigned("offset"),
            let state = data["state"]
        else { throw Unexpected(description: "no snapshot: \(JSONWriter.text(of: result))") }
        self.epoch = epoch
        self.revision = revision
        self.state = state
    }

    /// Takes a publication.
    ///
    /// - Throws: ``Unexpected`` when it is not the next revision.
    package mutating func take(publication: JSON) throws(Unexpected) {
        guard let offset = publication.unsigned("offset"), offset == revision + 1,
            let data = publication["data"], data.unsigned("rev") == offset,
            let patch = data["patch"]
        else {
            throw Unexpected(
                description: "after \(revision): \(JSONWriter.text(of: publication))")
        }
        revision = offset
        state = Self.fold(patch, over: state)
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

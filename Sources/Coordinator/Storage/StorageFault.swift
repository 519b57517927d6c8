/// Why a stored document cannot be read: where in it and what is wrong there.
///
/// Never a value from the document, since some are secrets or somebody else's words.
package struct StorageFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Member names and array indices from the root of the document to the place.
    package var path: [String]
    /// What is wrong, in plain words.
    package var message: String

    /// A fault at a place; the place itself unless a path is given.
    package init(_ message: String, at path: [String] = []) {
        self.path = path
        self.message = message
    }

    /// The same fault, seen from the value that holds the place under `key`.
    func within(_ key: String) -> StorageFault {
        StorageFault(message, at: [key] + path)
    }

    /// The path and what is wrong, such as `betslip.stake: an amount is expected, not null`.
    package var description: String {
        path.isEmpty ? message : path.joined(separator: ".") + ": " + message
    }
}

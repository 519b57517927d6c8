import Actors

/// A file of the repository, found from where this source file was compiled.
struct ProjectFile {
    let path: String

    /// `name` is relative to the root of the repository.
    init(_ name: String) {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        path = parts.joined(separator: "/") + "/" + name
    }

    func text() throws -> String {
        String(decoding: try FileText.read(path, limit: 1 << 20), as: UTF8.self)
    }
}

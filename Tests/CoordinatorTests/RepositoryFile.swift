import Foundation

/// A file of the repository, found from where this source file was compiled.
struct RepositoryFile {
    let url: URL

    /// `name` is relative to the root of the repository.
    init(_ name: String) {
        url =
            URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../\(name)").standardized
    }

    func text() throws -> String {
        try String(contentsOf: url, encoding: .utf8)
    }
}

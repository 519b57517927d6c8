internal import Glibc

/// Where a path leads, whatever links and mounts are on the way.
enum FolderPlace {
    /// Checks that what is made at `path` is neither `folder` itself nor somewhere in it.
    ///
    /// - Throws: ``SystemFault`` naming both.
    static func check(_ path: String, isOutside folder: String) throws(SystemFault) {
        guard isInside(path, folder) else { return }
        throw SystemFault(action: "write \(path)", reason: "it is in the data folder \(folder)")
    }

    /// Whether two paths lead to the same file.
    static func isSame(_ path: String, _ other: String) -> Bool {
        guard let first = identity(path), let second = identity(other) else { return false }
        return first == second
    }

    /// Whether what is made at `path`, with the folders that are missing above it, is in `folder`.
    private static func isInside(_ path: String, _ folder: String) -> Bool {
        guard let wanted = identity(folder) else { return false }
        var above = parent(path)
        var place = resolved(above)
        // What is missing is made in the lowest folder that is there.
        while place == nil, above != ".", above != "/" {
            above = parent(above)
            place = resolved(above)
        }
        guard var place else { return false }
        while true {
            // Not by name: a folder may be mounted at a second place.
            if identity(place) == wanted { return true }
            guard place != "/" else { return false }
            place = parent(place)
        }
    }

    /// The folder that a path is in, as far as its text tells.
    private static func parent(_ path: String) -> String {
        var rest = path[...]
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        rest = rest[..<slash]
        while rest.count > 1, rest.last == "/" { rest.removeLast() }
        return rest.isEmpty ? "/" : String(rest)
    }

    /// The path without links, from the root on; nil when it is not there.
    private static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Device and number of a file; nil when it is not there.
    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
}

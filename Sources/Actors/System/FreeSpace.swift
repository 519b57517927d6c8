internal import Glibc

/// How much room a file system has.
package enum FreeSpace {
    /// Bytes that this user may still write in the file system of `folder`; nil when it does not say.
    package static func bytes(in folder: String) -> Int64? {
        read(folder) { $0.f_bavail }
    }

    /// Bytes that the file system of `folder` has, written or not; nil when it does not say.
    package static func total(in folder: String) -> Int64? {
        read(folder) { $0.f_blocks }
    }

    private static func read(_ folder: String, _ blocks: (statvfs) -> fsblkcnt_t) -> Int64? {
        var facts = statvfs()
        guard unsafe statvfs(folder, &facts) == 0 else { return nil }
        return Int64(
            clamping: UInt64(blocks(facts)).multipliedReportingOverflow(
                by: UInt64(facts.f_frsize)
            ).partialValue)
    }

    /// Whether an error number says that there is no room: for anybody, for this user, in one file.
    static func isExhausted(_ code: CInt) -> Bool {
        [ENOSPC, EDQUOT, EFBIG].contains(code)
    }
}

internal import Glibc

/// How much room a file system has.
package enum FreeSpace {
    /// Bytes that this user may still write in the file system of `folder`; nil when it does not say.
    package static func bytes(in folder: String) -> Int64? {
        var facts = statvfs()
        guard unsafe statvfs(folder, &facts) == 0 else { return nil }
        return Int64(
            clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(
                by: UInt64(facts.f_frsize)
            ).partialValue)
    }

    /// Whether an error number says that there is no room: for anybody, for this user, in one file.
    static func isExhausted(_ code: CInt) -> Bool {
        [ENOSPC, EDQUOT, EFBIG].contains(code)
    }
}

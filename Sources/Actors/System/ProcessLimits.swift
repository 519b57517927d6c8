internal import Glibc

/// Limits of this process that a server wants raised.
package enum ProcessLimits {
    /// Raises the number of descriptors to what the system allows; gives that number.
    package static func raiseDescriptors() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 0
        }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// A file that would grow beyond the process's limit is an error of that write (EFBIG), not the
    /// end of the process.
    package static func takeFullFilesForErrors() {
        signal(SIGXFSZ, SIG_IGN)
    }
}

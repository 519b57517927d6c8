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

    /// Descriptors that are not for connections: the store's files, backups, certificates, event loops.
    ///
    /// A quarter where there are very few at all.
    package static func reserve(of descriptors: Int) -> Int {
        min(128, descriptors / 4)
    }

    /// Connections that can be open at a time, when the configuration wants `wanted` of them.
    ///
    /// Those beyond are refused at once; would they take the last descriptors, the store could open
    /// no file any more. `descriptors` is 0 when nothing is known of them.
    package static func connections(wanted: Int, descriptors: Int) -> Int {
        descriptors > 0 ? min(wanted, descriptors - reserve(of: descriptors)) : wanted
    }

    /// A file that would grow beyond the process's limit is an error of that write (EFBIG), not the
    /// end of the process.
    package static func takeFullFilesForErrors() {
        signal(SIGXFSZ, SIG_IGN)
    }
}

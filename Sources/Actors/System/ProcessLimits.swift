internal import Glibc

/// Settings of this process that a server needs.
package enum ProcessLimits {
    /// Lets a write to a closed connection be an error instead of the end of the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

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
}

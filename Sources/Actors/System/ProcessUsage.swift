internal import Glibc

/// What this process uses of the machine.
package struct ProcessUsage: Sendable, Equatable {
    /// Bytes of memory in RAM; 0 when the system does not say.
    package var residentBytes = 0
    /// Open file descriptors; 0 when the system does not say.
    package var openDescriptors = 0
    /// Descriptors that may be open; 0 when the system does not say.
    package var maximumDescriptors = 0
    /// Processor time of all threads, user and system, in nanoseconds.
    package var processorNanoseconds: UInt64 = 0

    /// Nothing.
    package init() {}

    /// What is used now.
    package static var now: ProcessUsage {
        var usage = ProcessUsage()
        usage.residentBytes = residentBytes
        usage.openDescriptors = openDescriptors
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            usage.maximumDescriptors = Int(clamping: limit.rlim_cur)
        }
        // POSIX has clock() count microseconds. Not clock_gettime(): a release build takes its
        // struct for one of libuv's headers, which are not to be seen here.
        let microseconds = clock()
        if microseconds >= 0 { usage.processorNanoseconds = UInt64(microseconds) * 1000 }
        return usage
    }

    /// The second number of `/proc/self/statm` is in pages (proc(5)).
    private static var residentBytes: Int {
        guard let bytes = try? FileText.read("/proc/self/statm", limit: 4096) else { return 0 }
        let numbers = bytes.split(separator: UInt8(ascii: " "))
        guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self))
        else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Newer kernels give the number as the folder's size; on older ones its entries are counted.
    private static var openDescriptors: Int {
        var facts = stat()
        if unsafe stat("/proc/self/fd", &facts) == 0, facts.st_size > 0 {
            return Int(facts.st_size)
        }
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        var entries = 0
        while unsafe readdir(folder) != nil { entries += 1 }
        // Without `.`, `..` and the folder's own descriptor.
        return max(0, entries - 3)
    }
}

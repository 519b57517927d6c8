import Glibc

/// Files and the kernel's account of what the process wrote.
enum Disk {
    /// Bytes that the process has caused to be written to disks so far; 0 when the kernel tells nothing.
    static var written: Int {
        let descriptor = unsafe open("/proc/self/io", O_RDONLY)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe read(descriptor, bytes.baseAddress, bytes.count)
        }
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("write_bytes: ") {
            return Int(line.dropFirst("write_bytes: ".count)) ?? 0
        }
        return 0
    }

    /// Bytes of a file; 0 when there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A database and its log, as far as they are there.
    static func files(of database: String) -> [String] {
        [database, database + "-wal", database + "-shm"]
    }

    static func remove(_ database: String) {
        for path in files(of: database) { unsafe unlink(path) }
    }

    /// Copies a database and its log as a crash would leave them, without the shared memory.
    static func copy(_ database: String, to other: String) {
        remove(other)
        for (from, to) in [(database, other), (database + "-wal", other + "-wal")] {
            let source = unsafe open(from, O_RDONLY)
            let target = unsafe open(to, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            defer {
                close(source)
                close(target)
            }
            while sendfile(target, source, nil, 1 << 24) > 0 {}
            fdatasync(target)
        }
    }

    /// Makes the kernel forget a database, so that it is read from the disk next.
    static func forget(_ database: String) {
        for path in files(of: database) {
            let descriptor = unsafe open(path, O_RDONLY)
            guard descriptor >= 0 else { continue }
            fdatasync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
    }

    static func makeFolder(_ path: String) {
        for end in path.indices where path[end] == "/" {
            unsafe mkdir(String(path[..<end]), 0o700)
        }
        unsafe mkdir(path, 0o700)
    }

    /// Appends 4 KB and syncs them, over and over: the yardstick of everything else.
    static func appends(in folder: String, seconds: Int64) -> RawFigures {
        let path = folder + "/raw"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer {
            close(descriptor)
            unsafe unlink(path)
        }
        let block = [UInt8](repeating: 0x5a, count: 4096)
        var samples = Samples()
        let start = monotonic()
        var now = start
        while now - start < UInt64(seconds) * 1_000_000_000 {
            let count = unsafe block.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress, bytes.count)
            }
            precondition(count == block.count && fdatasync(descriptor) == 0, "cannot write \(path)")
            let after = monotonic()
            samples.add(after - now)
            now = after
        }
        return RawFigures(
            perSecond: Double(samples.count) * 1e9 / Double(now - start),
            latency: samples.summary() ?? Percentiles(p50: 0, p90: 0, p99: 0, maximum: 0))
    }

    /// Processor time of the process, in nanoseconds.
    static var processorTime: UInt64 { reading(of: CLOCK_PROCESS_CPUTIME_ID) }

    static func monotonic() -> UInt64 { reading(of: CLOCK_MONOTONIC) }

    private static func reading(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// What the disk does without a store.
struct RawFigures: Sendable {
    var perSecond: Double
    var latency: Percentiles
}

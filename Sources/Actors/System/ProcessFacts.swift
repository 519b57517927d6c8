import Glibc

/// What the operating system says about this process.
package enum ProcessFacts {
    /// The environment as the process was started with.
    ///
    /// Read from `/proc/self/environ`: the C library's `environ` is a global that any thread may
    /// change, and nothing here changes the environment.
    package static var environment: [String: String] {
        guard let bytes = try? FileText.read("/proc/self/environ", limit: 4 << 20) else {
            return [:]
        }
        var variables: [String: String] = [:]
        for entry in bytes.split(separator: 0) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            variables[name] = String(decoding: entry[(equals + 1)...], as: UTF8.self)
        }
        return variables
    }

    /// Whether the process has root's rights.
    package static var isRoot: Bool { geteuid() == 0 }
}

import Actors
package import Glibc

/// A daemon of our own: the same program as a child process.
package struct DaemonChild: ~Copyable {
    /// The child could not be started.
    package struct StartError: Error, CustomStringConvertible {
        /// What failed and why.
        package var description: String
    }

    /// The child's process id, which is also its group's.
    package let processID: pid_t
    private let folder: String
    private var exitStatus: Int32?

    /// The last lines of the log in `folder`.
    package static func logTail(in folder: String) -> String {
        let text = Self.text(of: folder + "/log") ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    /// Starts `serve` of `program`, or of this program, on a free port of the loopback; data, key, ready file and log
    /// are in `folder`, and those of an earlier child are taken over.
    ///
    /// `wrapper` is a command that starts the program named by the arguments after it, such as
    /// `strace -f`; empty for none. `environment` is added to what is inherited.
    ///
    /// - Throws: ``StartError`` when the process cannot be made.
    package init(
        in folder: String, program: String? = nil, wrapper: [String] = [],
        environment: [String] = []
    ) throws(StartError) {
        unsafe unlink(folder + "/ready")
        // A wrapper is a program of its own and would start itself by that name.
        let program =
            if let program { program } else if wrapper.isEmpty { "/proc/self/exe" } else {
                try Self.ownPath()
            }
        let arguments = [
            "serve", "--listen", "127.0.0.1:0", "--ready-file", folder + "/ready",
            "--data", folder + "/data",
        ]
        // A key is made in the user's configuration folder; this daemon gets a folder of its own.
        let environment =
            Self.inheritedEnvironment() + environment + ["XDG_CONFIG_HOME=\(folder)/config"]
        processID = try Self.spawn(
            wrapper.first ?? program,
            wrapper.isEmpty ? ["coordd"] + arguments : wrapper + [program] + arguments,
            environment, log: folder + "/log")
        self.folder = folder
    }

    /// The address in the ready file; nil until the child accepts clients.
    package func address() -> String? {
        guard let text = Self.text(of: folder + "/ready") else { return nil }
        let line = text.prefix { !$0.isNewline }
        return line.isEmpty ? nil : String(line)
    }

    /// How the child ended, in words; nil while it runs.
    package mutating func end() -> String? {
        if exitStatus == nil {
            var status: Int32 = 0
            guard unsafe waitpid(processID, &status, WNOHANG) == processID else { return nil }
            exitStatus = status
        }
        guard let exitStatus else { return nil }
        let signal = exitStatus & 0x7F
        return signal == 0
            ? "exited with \((exitStatus >> 8) & 0xFF)" : "was ended by signal \(signal)"
    }

    /// Processor time used so far, in seconds; nil when it has ended.
    package func processorSeconds() -> Double? {
        guard let text = Self.text(of: "/proc/\(processID)/stat"),
            let ticks = Self.processorTicks(stat: text)
        else { return nil }
        return Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Asks the child to drain and exit.
    package func terminate() { signal(SIGTERM) }

    /// Ends the child at once.
    package func kill() { signal(SIGKILL) }

    /// A wrapper is not asked whether it passes signals on: its group gets them.
    private func signal(_ number: Int32) {
        if exitStatus == nil { _ = Glibc.kill(-processID, number) }
    }

    /// The sum of user and system time in a line of `/proc/PID/stat`: fields 14 and 15 (proc(5)).
    package static func processorTicks(stat line: String) -> UInt64? {
        // The second field is the program's name in parentheses, which may hold blanks and more.
        guard let nameEnd = line.lastIndex(of: ")") else { return nil }
        let fields = line[line.index(after: nameEnd)...].split(separator: " ")
        guard fields.count > 12, let user = UInt64(fields[11]), let system = UInt64(fields[12])
        else { return nil }
        return user + system
    }

    /// This process's environment without what would keep simulated clients out.
    private static func inheritedEnvironment() -> [String] {
        let left =
            ["AUTH_", "TLS_", "LISTEN=", "DATA=", "SECRETS_", "SIMULATE_"].map { "COORDD_" + $0 }
            + ["XDG_CONFIG_HOME="]
        let variables = ProcessFacts.environment.map { "\($0.key)=\($0.value)" }
        return variables.filter { variable in !left.contains { variable.hasPrefix($0) } }
    }

    private static func ownPath() throws(StartError) -> String {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, unsafe readlink("/proc/self/exe", start, buffer.count))
        }
        guard !bytes.isEmpty else {
            throw StartError(description: "cannot find this program: \(Self.words(errno))")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func words(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }

    private static func text(of path: String) -> String? {
        guard let bytes = try? FileText.read(path, limit: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String], log: String
    ) throws(StartError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)

        // Its own group, so that Ctrl-C reaches only us; default signals, whatever we changed.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var argumentPointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var environmentPointers = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe argumentPointers.forEach { unsafe free($0) }
            unsafe environmentPointers.forEach { unsafe free($0) }
        }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(
            &process, path, &actions, &attributes, &argumentPointers, &environmentPointers)
        guard code == 0 else {
            throw StartError(description: "cannot start \(path): \(Self.words(code))")
        }
        return process
    }
}

import Glibc
import Rehearsal

// Sets and dictionaries have another order in each process unless this is set before it begins, and
// a seed would not replay in another process.
if unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
}

exit(Tool.run(Array(CommandLine.arguments.dropFirst())))

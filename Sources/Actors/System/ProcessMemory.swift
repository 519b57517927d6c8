internal import Glibc

/// The memory that the process holds without using it.
enum ProcessMemory {
    private typealias Trim = @convention(c) (Int) -> Int32

    /// Has the allocator return what is free to the system; callable on any thread.
    ///
    /// `malloc_trim` is glibc's own and in none of the headers that Swift sees; elsewhere nothing
    /// happens.
    static func giveBack() {
        guard let address = unsafe dlsym(nil, "malloc_trim") else { return }
        let trim = unsafe unsafeBitCast(address, to: Trim.self)
        _ = trim(0)
    }
}

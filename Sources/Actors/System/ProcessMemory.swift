internal import Glibc

/// The memory that the process holds without using it.
///
/// The functions are glibc's own and in none of the headers that Swift sees; elsewhere nothing
/// happens.
package enum ProcessMemory {
    private typealias Trim = @convention(c) (Int) -> Int32
    private typealias SetOption = @convention(c) (Int32, Int32) -> Int32

    /// `M_ARENA_MAX` of glibc's `malloc.h`.
    private static let maximumArenas: Int32 = -8

    /// Has all threads share one heap; to be called before there are others.
    ///
    /// What one thread allocates another one frees here: commits, snapshots, loads. With a heap of
    /// its own for each thread, most of what a busy hour took stays with the process.
    package static func shareHeap() {
        guard let address = unsafe dlsym(nil, "mallopt") else { return }
        let setOption = unsafe unsafeBitCast(address, to: SetOption.self)
        _ = setOption(maximumArenas, 1)
    }

    /// Has the allocator return what is free to the system; callable on any thread.
    static func giveBack() {
        guard let address = unsafe dlsym(nil, "malloc_trim") else { return }
        let trim = unsafe unsafeBitCast(address, to: Trim.self)
        _ = trim(0)
    }
}

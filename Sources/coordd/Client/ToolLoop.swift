package import Actors
import Glibc

/// Runs a client-side tool on an event loop of its own until it has an exit code.
package enum ToolLoop {
    /// What runs on the loop.
    package struct Activity {
        /// Kept alive until the exit code is there.
        package var owner: AnyObject
        /// Called for Ctrl-C and SIGTERM, each time.
        package var interrupt: () -> Void

        /// Something that runs.
        package init(owner: AnyObject, interrupt: @escaping () -> Void = {}) {
            self.owner = owner
            self.interrupt = interrupt
        }
    }

    /// Holds what must live as long as the run.
    private final class Run {
        var activity: Activity?
        var isFinished = false
    }

    /// Calls `begin` on a new loop, and gives the code that is handed to its `finish`.
    package static func run(
        _ begin: @escaping @Sendable (UVEventLoop, _ finish: @escaping (Int32) -> Void) -> Activity
    ) async -> Int32 {
        let loop: UVEventLoop
        do {
            loop = try UVEventLoop(name: "tool")
        } catch {
            StandardStream.error.write(Array("coordd: \(error)\n".utf8))
            return ExitCode.failed.rawValue
        }
        loop.start()
        let code = await withCheckedContinuation { continuation in
            loop.execute {
                let run = Run()
                for number in [SIGINT, SIGTERM] {
                    // Without a watcher the signal ends the process in its own way.
                    _ = try? UVSignal(on: loop, signal: number) { run.activity?.interrupt() }
                }
                run.activity = begin(loop) { code in
                    guard !run.isFinished else { return }
                    run.isFinished = true
                    // The caller is still at work; its owner goes when it is done.
                    loop.atTurnEnd {
                        run.activity = nil
                        loop.stop()
                        continuation.resume(returning: code)
                    }
                }
            }
        }
        await loop.finished()
        return code
    }
}

import Actors
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UVSignalTests {
    @Test func `a raised signal is heard on the loop by every watcher`() async throws {
        try await withEventLoop { loop in
            let lines: [String] = try await loop.attempt { done in
                let notes = LoopNotes()
                var watchers: [UVSignal] = []
                for name in ["first", "second"] {
                    watchers.append(
                        try UVSignal(on: loop, signal: SIGUSR2) {
                            loop.preconditionCurrent()
                            notes.add(name)
                            guard notes.lines.count == 2 else { return }
                            watchers[0].close()
                            watchers[1].close { done(notes.lines) }
                            watchers = []
                        })
                }
                raise(SIGUSR2)
            }
            #expect(lines.sorted() == ["first", "second"])
        }
    }

    @Test func `a signal that cannot be caught is an error`() async throws {
        try await withEventLoop { loop in
            let text: String = await loop.result { done in
                do throws(UVError) {
                    _ = try UVSignal(on: loop, signal: SIGKILL) {}
                    done("watching")
                } catch {
                    done(error.description)
                }
            }
            #expect(text == "watch signal 9: invalid argument (EINVAL)")
        }
    }
}

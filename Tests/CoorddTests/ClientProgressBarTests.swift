import Testing
import coordd

@Suite struct ClientProgressBarTests {
    private final class Terminal {
        var time: UInt64 = 5_000_000
        var written: [String] = []
    }

    private func bar(_ terminal: Terminal, total: Int = 200) -> ProgressBar {
        ProgressBar(
            total: total, unit: "sessions", now: { terminal.time },
            write: { terminal.written.append($0) })
    }

    @Test func `work that takes less than a second shows nothing`() {
        let terminal = Terminal()
        var bar = bar(terminal)
        terminal.time += 999_999
        bar.show(100)
        bar.clear()
        #expect(terminal.written.isEmpty)
    }

    @Test func `after a second it shows how far the work is, and goes`() {
        let terminal = Terminal()
        var bar = bar(terminal)
        terminal.time += 1_000_000
        bar.show(50)
        let line =
            "\r\u{1B}[K[#######.......................] 25 %, 50 of 200 sessions"
        #expect(terminal.written == [line])
        terminal.time += 99_999
        bar.show(60)
        #expect(terminal.written.count == 1)
        bar.clear()
        bar.clear()
        #expect(terminal.written == [line, "\r\u{1B}[K"])
        terminal.time += 1
        bar.show(200)
        #expect(terminal.written.last?.hasSuffix("] 100 %, 200 of 200 sessions") == true)
    }

    @Test func `no work has no bar`() {
        let terminal = Terminal()
        var bar = bar(terminal, total: 0)
        terminal.time += 9_000_000
        bar.show(0)
        #expect(terminal.written.isEmpty)
    }
}

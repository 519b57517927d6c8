import Actors
import Testing

struct TurnQueueTests {
    private final class Notes {
        var lines: [String] = []
    }

    private func drain(_ queue: TurnQueue) -> Bool {
        queue.drain { work in
            guard case .action(let action) = work else { return }
            action()
        }
    }

    @Test func `what waits for the turn's end runs after all other work`() {
        let queue = TurnQueue()
        let notes = LoopNotes()
        queue.appendAtTurnEnd {
            notes.add("end")
            queue.append(.action { notes.add("work of end") })
            queue.appendAtTurnEnd { notes.add("end of end") }
        }
        queue.append(.action { notes.add("first") })
        queue.append(.action { notes.add("second") })
        #expect(drain(queue))
        #expect(notes.lines == ["first", "second", "end", "work of end", "end of end"])
    }

    @Test func `work that goes on and on stops after the rounds of a turn and is kept`() {
        let queue = TurnQueue()
        let notes = Notes()
        func again() {
            notes.lines.append("again")
            guard notes.lines.count < 65 else { return }
            queue.appendAtTurnEnd(again)
        }
        queue.appendAtTurnEnd(again)
        #expect(!drain(queue))
        #expect(notes.lines.count == 64)
        #expect(!queue.isEmpty)
        #expect(drain(queue))
        #expect(notes.lines.count == 65)
    }
}

import Glibc
import Rehearsal

/// `rehearse`: plays seeds, prints what happened, and how to see a failure again.
enum Tool {
    private struct Wishes {
        var seeds: UInt64 = 10
        var first: UInt64 = 1
        var steps = 20_000
        var traces = false
    }

    private static let usage = """
        usage: rehearse [--seeds N] [--first K] [--seed K] [--steps N] [--trace]
          --seeds N   how many worlds are played (10)
          --first K   the seed of the first (1)
          --seed K    play this one alone
          --steps N   random steps in each world (20000)
          --trace     tell what happened last, also when all is well
        """

    static func run(_ arguments: [String]) -> Int32 {
        guard let wishes = read(arguments) else {
            say(usage + "\n", to: STDERR_FILENO)
            return 2
        }
        var tally = Tally()
        let start = Self.seconds
        for seed in wishes.first..<(wishes.first + wishes.seeds) {
            var rehearsal = Rehearsal(seed: seed, steps: wishes.steps)
            rehearsal.traces = wishes.traces
            let outcome = rehearsal.run()
            tally += outcome.tally
            if let problem = outcome.problem {
                progress("")
                tell(problem, of: seed, wishes)
                return 1
            }
            if wishes.traces { say(outcome.trace.joined(separator: "\n") + "\n") }
            if wishes.seeds == 1 {
                say("seed \(seed), digest \(String(outcome.digest, radix: 16))\n")
            }
            progress("seed \(seed), \(tally.steps) steps")
        }
        progress("")
        say(summary(tally, wishes, seconds: Self.seconds - start))
        return 0
    }

    private static func read(_ arguments: [String]) -> Wishes? {
        var wishes = Wishes()
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--trace" {
                wishes.traces = true
                continue
            }
            guard let number = rest.popFirst().flatMap({ UInt64($0) }), number < 1 << 62 else {
                return nil
            }
            switch name {
            case "--seeds": wishes.seeds = number
            case "--first": wishes.first = number
            case "--seed": (wishes.first, wishes.seeds) = (number, 1)
            case "--steps": wishes.steps = Int(number)
            default: return nil
            }
        }
        return wishes
    }

    /// Plays the seed once more, with its last words.
    private static func tell(_ problem: String, of seed: UInt64, _ wishes: Wishes) {
        var rehearsal = Rehearsal(seed: seed, steps: wishes.steps)
        rehearsal.traces = true
        let again = rehearsal.run()
        let last = again.trace.suffix(wishes.traces ? 4000 : 60).joined(separator: "\n")
        say("\(last)\n\nseed \(seed) FAILED at \(problem)\n")
        if again.problem != problem {
            say("replayed, it ended otherwise: \(again.problem ?? "well")\n")
        }
        say("again: make simulate SEED=\(seed) STEPS=\(wishes.steps)\n")
    }

    private static func summary(_ tally: Tally, _ wishes: Wishes, seconds: Double) -> String {
        let rate = Int(Double(tally.steps) / max(seconds, 0.001))
        return """
            \(wishes.seeds) worlds were played, from seed \(wishes.first) on, in \(Int(seconds)) s: \
            \(rate) steps a second.

              steps                \(tally.steps)
              connections          \(tally.connections)
              drops                \(tally.drops)
              daemons killed       \(tally.crashes), stopped \(tally.stops)
              resumes              \(tally.resumes), recovered \(tally.recoveries) \
            with \(tally.replayed) publications
              revisions            \(tally.revisions), taken in by clients \(tally.deliveries)
              events               \(tally.events): accepted \(tally.accepted), \
            refused \(tally.refused), sent again \(tally.repeats), \
            answered as duplicates \(tally.duplicates)
              effects              \(tally.effects), bets \(tally.bets)
              disk                 \(tally.failures) failures, \(tally.torn) commits torn off, \
            \(tally.snapshots) snapshots, \(tally.loads) loads
              slow readers cut off \(tally.slowReaders)
              states compared      \(tally.comparisons)
              gaps, repeats, mismatches  0

            """
    }

    private static var seconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        say("\r\u{1B}[K\(text)", to: STDERR_FILENO)
    }

    private static func say(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}

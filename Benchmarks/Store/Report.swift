import Coordinator

/// Commits of a number of active sessions.
struct CommitFigures: Sendable {
    var sessions: Int
    var samples: CommitSamples
    /// Bytes that were written to the disk.
    var written: Int
    /// Bytes of database and log at the end, while the store runs.
    var running: Int
    /// Bytes of the database after a clean stop.
    var stopped: Int

    var perSecond: Double { Double(samples.commits) * 1e9 / Double(max(1, samples.nanoseconds)) }
    var batch: Double { Double(samples.commits) / Double(max(1, samples.batches)) }

    func perEvent(_ bytes: Int) -> Double { Double(bytes) / Double(max(1, samples.commits)) }
}

/// A database with sessions that nobody watches.
struct StoreSizeFigures: Sendable {
    var sessions: Int
    var made, closed: UInt64
    var size: Int
    var startWarm, startCold: UInt64
    /// Loads from the disk, the same again from memory, and others while 128 sessions commit.
    var cold, warm, busy: Samples
}

/// The start after a crash.
struct CrashFigures: Sendable {
    var sessions, commits, size: Int
    var start: UInt64
    var loads: Samples
    /// How long a clean stop took instead.
    var stopped: UInt64
}

struct StoredFigures: Sendable {
    var few, many: StoreSizeFigures
    var crash: CrashFigures
}

/// Everything that was measured, as tables or JSON.
struct Report {
    var raw: RawFigures
    var commits: [CommitFigures]
    var stored: StoredFigures?

    func print() {
        let text = Output.text
        Output.table(
            "append 4 KB and fdatasync", ["per s", "p50 us", "p90 us", "p99 us"],
            [
                [
                    text(raw.perSecond, 0), text(raw.latency.p50, 0), text(raw.latency.p90, 0),
                    text(raw.latency.p99, 0),
                ]
            ])
        if !commits.isEmpty { printCommits() }
        if let stored { print(stored) }
    }

    private func printCommits() {
        let text = Output.text
        Output.table(
            "commits, one in flight for each session; x: of the raw p50, of the raw rate",
            [
                "sessions", "commits/s", "x rate", "p50 us", "p90 us", "p99 us", "x p50", "batch",
            ],
            commits.map { row in
                let latency = row.samples.latency.summary()
                return [
                    "\(row.sessions)", text(row.perSecond, 0),
                    text(row.perSecond / raw.perSecond, 2), text(latency?.p50 ?? 0, 0),
                    text(latency?.p90 ?? 0, 0), text(latency?.p99 ?? 0, 0),
                    text((latency?.p50 ?? 0) / raw.latency.p50, 2), text(row.batch, 1),
                ]
            })
        Output.table(
            "bytes for each event, snapshots included, and MB of files",
            [
                "sessions", "publication", "written", "snapshots", "while running",
                "after the stop",
            ],
            commits.map { row in
                [
                    "\(row.sessions)", text(row.perEvent(row.samples.published), 0),
                    text(row.perEvent(row.written), 0), "\(row.samples.snapshots)",
                    text(Double(row.running) / 1e6, 1), text(Double(row.stopped) / 1e6, 1),
                ]
            })
    }

    private func print(_ stored: StoredFigures) {
        let text = Output.text
        Output.table(
            "sessions that nobody watches; start after a clean stop",
            [
                "sessions", "made s", "us each", "stop ms", "bytes each", "start ms",
                "from disk ms",
            ],
            [stored.few, stored.many].map { row in
                [
                    "\(row.sessions)", text(Double(row.made) / 1e9, 2),
                    text(Double(row.made) / 1000 / Double(row.sessions), 1),
                    text(Double(row.closed) / 1e6, 1),
                    text(Double(row.size) / Double(row.sessions), 0),
                    text(Double(row.startWarm) / 1e6, 1), text(Double(row.startCold) / 1e6, 1),
                ]
            })
        var rows: [[String]] = []
        for (name, samples) in loads(stored) {
            let summary = samples.summary()
            rows.append([
                name, "\(samples.count)", text(summary?.p50 ?? 0, 0), text(summary?.p99 ?? 0, 0),
            ])
        }
        Output.table("activation", ["of", "loads", "p50 us", "p99 us"], rows)
        let ratio = ratio(stored)
        Swift.print(
            "  many to few, from memory: p50 x \(text(ratio.p50, 2)), p99 x \(text(ratio.p99, 2))")
        let crash = stored.crash
        Output.table(
            "start after a crash",
            ["uncovered commits", "sessions", "MB", "start from disk ms", "clean stop ms"],
            [
                [
                    "\(crash.commits)", "\(crash.sessions)", text(Double(crash.size) / 1e6, 0),
                    text(Double(crash.start) / 1e6, 1), text(Double(crash.stopped) / 1e6, 1),
                ]
            ])
    }

    private func loads(_ stored: StoredFigures) -> [(String, Samples)] {
        [stored.few, stored.many].flatMap { row in
            [
                ("\(row.sessions), from disk", row.cold),
                ("\(row.sessions), from memory", row.warm),
                ("\(row.sessions), while 128 commit", row.busy),
            ]
        } + [("after the crash, \(stored.crash.commits) commits", stored.crash.loads)]
    }

    private func ratio(_ stored: StoredFigures) -> (p50: Double, p99: Double) {
        guard let many = stored.many.warm.summary(), let few = stored.few.warm.summary() else {
            return (0, 0)
        }
        return (many.p50 / few.p50, many.p99 / few.p99)
    }

    var json: JSON {
        var report = JSONObject()
        report.append(
            "raw",
            ["perSecond": Output.json(raw.perSecond), "microseconds": Output.json(raw.latency)])
        report.append("commits", .array(commits.map(json)))
        if let stored { report.append("stored", json(stored)) }
        return .object(report)
    }

    private func json(_ row: CommitFigures) -> JSON {
        let latency = row.samples.latency.summary()
        return [
            "sessions": .integer(row.sessions), "perSecond": Output.json(row.perSecond),
            "rateRatio": Output.json(row.perSecond / raw.perSecond),
            "microseconds": latency.map { Output.json($0) } ?? .null,
            "latencyRatio": Output.json((latency?.p50 ?? 0) / raw.latency.p50),
            "batch": Output.json(row.batch), "snapshots": .integer(row.samples.snapshots),
            "publicationBytes": Output.json(row.perEvent(row.samples.published)),
            "writtenBytes": Output.json(row.perEvent(row.written)),
            "runningBytes": .integer(row.running), "stoppedBytes": .integer(row.stopped),
        ]
    }

    private func json(_ stored: StoredFigures) -> JSON {
        let ratio = ratio(stored)
        let sizes = [stored.few, stored.many].map { row in
            [
                "sessions": .integer(row.sessions),
                "madeMilliseconds": Output.json(Double(row.made) / 1e6),
                "stopMilliseconds": Output.json(Double(row.closed) / 1e6),
                "bytes": .integer(row.size),
                "startMilliseconds": Output.json(Double(row.startWarm) / 1e6),
                "startFromDiskMilliseconds": Output.json(Double(row.startCold) / 1e6),
            ] as JSON
        }
        var activation = JSONObject()
        for (name, samples) in loads(stored) {
            activation.append(name, samples.summary().map { Output.json($0) } ?? .null)
        }
        return [
            "sizes": .array(sizes), "activationMicroseconds": .object(activation),
            "activationRatio": ["p50": Output.json(ratio.p50), "p99": Output.json(ratio.p99)],
            "crash": [
                "commits": .integer(stored.crash.commits),
                "sessions": .integer(stored.crash.sessions),
                "bytes": .integer(stored.crash.size),
                "startMilliseconds": Output.json(Double(stored.crash.start) / 1e6),
                "cleanStopMilliseconds": Output.json(Double(stored.crash.stopped) / 1e6),
            ],
        ]
    }
}

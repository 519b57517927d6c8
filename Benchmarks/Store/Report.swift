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

    /// Microseconds of processor time for each commit, its event's decision included.
    var processor: Double { Double(samples.processor) / 1000 / Double(max(1, samples.commits)) }

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
        Output.table(
            "commits, one in flight for each session; x: of the raw p50, of the raw rate",
            [
                "sessions", "commits/s", "x rate", "p50 us", "p90 us", "p99 us", "x p50", "batch",
                "cpu us",
            ],
            commits.map(latencies))
        Output.table(
            "bytes for each event, snapshots included, and MB of files",
            [
                "sessions", "publication", "written", "snapshots", "while running",
                "after the stop",
            ],
            commits.map(bytes))
    }

    private func latencies(_ row: CommitFigures) -> [String] {
        let text = Output.text
        let latency = row.samples.latency.summary()
        var cells: [String] = ["\(row.sessions)", text(row.perSecond, 0)]
        cells.append(text(row.perSecond / raw.perSecond, 2))
        cells.append(text(latency?.p50 ?? 0, 0))
        cells.append(text(latency?.p90 ?? 0, 0))
        cells.append(text(latency?.p99 ?? 0, 0))
        cells.append(text((latency?.p50 ?? 0) / raw.latency.p50, 2))
        cells.append(text(row.batch, 1))
        cells.append(text(row.processor, 1))
        return cells
    }

    private func bytes(_ row: CommitFigures) -> [String] {
        let text = Output.text
        var cells: [String] = ["\(row.sessions)", text(row.perEvent(row.samples.published), 0)]
        cells.append(text(row.perEvent(row.written), 0))
        cells.append("\(row.samples.snapshots)")
        cells.append(text(Double(row.running) / 1e6, 1))
        cells.append(text(Double(row.stopped) / 1e6, 1))
        return cells
    }

    private func print(_ stored: StoredFigures) {
        let text = Output.text
        Output.table(
            "sessions that nobody watches; start after a clean stop",
            [
                "sessions", "made s", "us each", "stop ms", "bytes each", "start ms",
                "from disk ms",
            ],
            [cells(stored.few), cells(stored.many)])
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

    private func cells(_ row: StoreSizeFigures) -> [String] {
        let text = Output.text
        let count = Double(row.sessions)
        var cells: [String] = ["\(row.sessions)", text(Double(row.made) / 1e9, 2)]
        cells.append(text(Double(row.made) / 1000 / count, 1))
        cells.append(text(Double(row.closed) / 1e6, 1))
        cells.append(text(Double(row.size) / count, 0))
        cells.append(text(Double(row.startWarm) / 1e6, 1))
        cells.append(text(Double(row.startCold) / 1e6, 1))
        return cells
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
        var object = JSONObject()
        object.append("sessions", .integer(row.sessions))
        object.append("perSecond", Output.json(row.perSecond))
        object.append("rateRatio", Output.json(row.perSecond / raw.perSecond))
        object.append("microseconds", ifPresent: latency.map { Output.json($0) })
        object.append("latencyRatio", Output.json((latency?.p50 ?? 0) / raw.latency.p50))
        object.append("batch", Output.json(row.batch))
        object.append("processorMicroseconds", Output.json(row.processor))
        object.append("snapshots", .integer(row.samples.snapshots))
        object.append("publicationBytes", Output.json(row.perEvent(row.samples.published)))
        object.append("writtenBytes", Output.json(row.perEvent(row.written)))
        object.append("runningBytes", .integer(row.running))
        object.append("stoppedBytes", .integer(row.stopped))
        return .object(object)
    }

    private func json(_ row: StoreSizeFigures) -> JSON {
        var object = JSONObject()
        object.append("sessions", .integer(row.sessions))
        object.append("madeMilliseconds", milliseconds(row.made))
        object.append("stopMilliseconds", milliseconds(row.closed))
        object.append("bytes", .integer(row.size))
        object.append("startMilliseconds", milliseconds(row.startWarm))
        object.append("startFromDiskMilliseconds", milliseconds(row.startCold))
        return .object(object)
    }

    private func json(_ row: CrashFigures) -> JSON {
        var object = JSONObject()
        object.append("commits", .integer(row.commits))
        object.append("sessions", .integer(row.sessions))
        object.append("bytes", .integer(row.size))
        object.append("startMilliseconds", milliseconds(row.start))
        object.append("cleanStopMilliseconds", milliseconds(row.stopped))
        return .object(object)
    }

    private func json(_ stored: StoredFigures) -> JSON {
        let ratio = ratio(stored)
        var activation = JSONObject()
        for (name, samples) in loads(stored) {
            activation.append(name, ifPresent: samples.summary().map { Output.json($0) })
        }
        return [
            "sizes": [json(stored.few), json(stored.many)],
            "activationMicroseconds": .object(activation),
            "activationRatio": ["p50": Output.json(ratio.p50), "p99": Output.json(ratio.p99)],
            "crash": json(stored.crash),
        ]
    }

    private func milliseconds(_ nanoseconds: UInt64) -> JSON {
        Output.json(Double(nanoseconds) / 1e6)
    }
}

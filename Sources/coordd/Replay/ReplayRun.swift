package import Coordinator

/// Plays transcripts one after the other and prints what comes of them.
///
/// Confined to its loop.
package final class ReplayRun {
    /// Where transcripts are played.
    package enum Place {
        /// The pure rules, with the numbers for each transcript, in order.
        case core([Policy])
        /// A daemon.
        case daemon(WireReplay.World)
    }

    private let files: [ReplayFile]
    private let options: ReplayOptions
    private let place: Place
    private let finish: (Int32) -> Void
    private var output: ReplayOutput
    private var next = 0
    private var record: ReplayRecord?
    private var wire: WireReplay?
    private var isFinished = false

    /// A run that has not begun; `finish` takes the exit code, once.
    package init(
        _ files: [ReplayFile], _ options: ReplayOptions, in place: Place, output: ReplayOutput,
        finish: @escaping (Int32) -> Void
    ) {
        self.files = files
        self.options = options
        self.place = place
        self.output = output
        self.finish = finish
    }

    /// Plays the next transcript, and so on until the last.
    package func start() {
        guard !isFinished else { return }
        guard next < files.count else {
            output.summarize()
            isFinished = true
            return finish(output.isMet ? ExitCode.done.rawValue : ExitCode.failed.rawValue)
        }
        let (file, index) = (files[next], next)
        next += 1
        switch place {
        case .core(let policies):
            begin(file, session: nil)
            var player = TranscriptPlayer(policy: policies[index], isStrict: options.strict)
            for step in file.transcript.steps { player.play(step).forEach(show) }
            record?.revision = player.revision
            record?.state = player.state
            end()
        case .daemon(let world):
            guard let session = options.session ?? Self.newSession else { return }
            begin(file, session: session)
            let wire = WireReplay(
                file.transcript, session: session, speed: options.speed,
                isStrict: options.strict, world: world,
                onRow: { [weak self] row in self?.show(row) },
                onEnd: { [weak self] end in
                    self?.record?.revision = end.revision
                    self?.record?.state = end.state
                    self?.record?.failure = end.failure
                    self?.end()
                })
            self.wire = wire
            wire.start()
        }
    }

    /// Ends it at once, as after Ctrl-C.
    package func interrupt() {
        guard !isFinished else { return }
        isFinished = true
        wire?.stop()
        finish(ExitCode.interrupted.rawValue)
    }

    private func begin(_ file: ReplayFile, session: SessionID?) {
        let record = ReplayRecord(file: file.name, session: session)
        output.begin(file, record)
        self.record = record
    }

    private func show(_ row: TranscriptRow) {
        guard record != nil, !isFinished else { return }
        record?.rows.append(row)
        if let record { output.show(row, in: record) }
    }

    private func end() {
        guard let record, !isFinished else { return }
        output.end(record)
        self.record = nil
        start()
    }

    /// Sessions outlive a run: each has a name of its own.
    private static var newSession: SessionID? {
        SessionID("replay-" + String(UInt64.random(in: .min ... .max), radix: 36))
    }
}

/// Steps of one session and what each must bring (Docs/Transcripts.md).
package struct Transcript: Sendable {
    /// Settings that a transcript is played with, in the shape of the configuration file.
    package struct Configuration: Sendable, Equatable {
        /// Where they stand.
        package var line: Int
        /// The settings.
        package var values: JSONObject
    }

    /// The steps, in order; at least one.
    package var steps: [TranscriptStep]
    /// The settings other than the player's; nil when there are none.
    package var configuration: Configuration?

    /// Reads JSON lines: notes, definitions, configuration and steps.
    ///
    /// In a transcript that says nothing of the stage, each player takes it before its first step.
    ///
    /// - Throws: every fault of every line.
    package init(_ bytes: [UInt8]) throws(TranscriptFaults) {
        var reader = TranscriptReader()
        reader.read(bytes)
        if reader.faults.isEmpty, reader.steps.isEmpty {
            reader.faults.append(
                TranscriptFault(line: nil, reason: "no step; at least one is needed"))
        }
        guard reader.faults.isEmpty else { throw TranscriptFaults(list: reader.faults) }
        steps = reader.steps
        configuration = reader.configuration
        if !steps.contains(where: \.namesStage) { takeStage() }
    }

    private mutating func takeStage() {
        var seen: Set<String> = []
        var whole: [TranscriptStep] = []
        for step in steps {
            if step.role == .player, let device = step.device, seen.insert(device).inserted {
                var attach = step
                attach.action = .attach(facts: nil)
                attach.expectation = nil
                attach.isImplied = true
                whole.append(attach)
            }
            whole.append(step)
        }
        steps = whole
    }
}

extension TranscriptStep {
    /// Whether the step is about who holds the stage.
    fileprivate var namesStage: Bool {
        switch action {
        case .attach, .detach, .take: true
        case .event, .acknowledge, .expire: false
        }
    }
}

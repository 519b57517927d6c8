import Coordinator

/// A phone that carries out what it is told, in time or late, and reports what really happened.
struct FaithfulPhone {
    /// What it has to say, in this order.
    enum Word {
        case fact(String)
        case done(UInt64)
        case failed(UInt64)
    }

    private(set) var device = ModelledDevice()
    /// Whether the small window is there.
    private(set) var hasWindow = false
    /// Whether the system is about to open it.
    private(set) var isOpening = false
    private(set) var interface = "portrait"
    /// Effects that arrived and are still to be carried out.
    private(set) var inbox: [Effect] = []
    private(set) var words: [Word] = []

    var isBusy: Bool { !inbox.isEmpty || !words.isEmpty || isOpening }

    mutating func receive(_ effects: [Effect]) {
        inbox += effects
    }

    /// The connection is gone; what happened is still to be told, and effects will come again.
    mutating func disconnect() {
        inbox = []
        words.removeAll { word in
            if case .fact = word { false } else { true }
        }
    }

    mutating func nextWord() -> Word? {
        words.isEmpty ? nil : words.removeFirst()
    }

    private mutating func say(_ phase: String) {
        words.append(.fact(#"{"type":"device.pip","phase":"\#(phase)"}"#))
    }

    /// Carries out the oldest effect; `isWilling` is whether the system lets it.
    mutating func work(isWilling: Bool) throws {
        guard !inbox.isEmpty else { return }
        let effect = inbox.removeFirst()
        try StagePost.execute(effect, on: &device)
        switch effect.order {
        case .placeBet: return
        case .requestOrientation(let orientation):
            guard isWilling else { return words.append(.failed(effect.seq)) }
            interface = orientation.rawValue
            words.append(
                .fact(#"{"type":"device.interface","orientation":"\#(interface)"}"#))
        case .startPictureInPicture:
            guard isWilling || hasWindow || isOpening else {
                return words.append(.failed(effect.seq))
            }
            open()
        case .stopPictureInPicture:
            // What is still to open cannot be stopped yet, and opens all the same.
            close()
        case .reportFacts:
            let pip = hasWindow ? "active" : "inactive"
            words.append(
                .fact(
                    #"{"type":"device.report","facts":{"pip":"\#(pip)","interface":"\#(interface)"}}"#
                ))
        default: break
        }
        words.append(.done(effect.seq))
    }

    /// The system begins to open the window, asked or not.
    mutating func open() {
        guard !hasWindow, !isOpening else { return }
        isOpening = true
        say("willStart")
    }

    /// The window that was about to open is there, or not after all.
    mutating func opened(_ isThere: Bool) {
        guard isOpening else { return }
        isOpening = false
        hasWindow = isThere
        say(isThere ? "started" : "failed")
    }

    /// The window goes away; `restores` when the viewer wants the player back.
    mutating func close(restores: Bool = false) {
        guard hasWindow else { return }
        hasWindow = false
        if restores { say("restore") }
        say("willStop")
        say("stopped")
    }
}

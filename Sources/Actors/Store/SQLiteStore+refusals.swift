internal import Coordinator

/// What the store refuses, so that nobody waits without end.
extension SQLiteStore {
    /// What keeps the store from taking commits.
    enum Trouble: Equatable {
        /// The writer has not answered for too long.
        case stalled
        /// There is too little room.
        case full
        /// The newest transaction or load failed, for this reason.
        case failing(String)
    }

    package var condition: StoreCondition {
        var condition = StoreCondition()
        condition.freeBytes = space.free
        condition.isFull = space.shortage != nil || hasFailedFull
        // With durability `memory` changes do not wait for the disk.
        condition.shortage = durability == .commit ? space.shortage : nil
        condition.stall = stall
        condition.backlog = backlog
        condition.queueBytes = waitingBytes
        return condition
    }

    package var isHindered: Bool {
        // With durability `memory` nothing waits in the queue.
        isStalled || (durability == .commit && (isQueueFull || space.shortage != nil))
    }

    /// Why nobody should wait for the disk now; nil while it answers.
    var stall: String? {
        guard isStalled, let oldest = underway.oldest else { return nil }
        let seconds = (loop.nanoseconds - min(oldest, loop.nanoseconds)) / 1_000_000_000
        return "store.stalled: the disk has not answered for \(seconds) s"
    }

    private var waitingBytes: Int { underway.bytes + outgoingBytes }

    /// Whether as much waits for the disk as may.
    var isQueueFull: Bool {
        queueDepth >= limits.queueCommits || waitingBytes >= limits.queueBytes
    }

    /// Why no change is taken now; nil when one is.
    var backlog: String? {
        guard isQueueFull else { return nil }
        if queueDepth >= limits.queueCommits {
            return
                "store.busy: \(limits.queueCommits) changes wait for the disk (store.queueCommits)"
        }
        return "store.busy: changes of \(waitingBytes) bytes wait for the disk "
            + "(store.queueBytes is \(limits.queueBytes))"
    }

    /// Tells the observer when something else than before keeps the store from taking commits.
    func tellTrouble() {
        var trouble: Trouble?
        if isStalled {
            trouble = .stalled
        } else if space.shortage != nil {
            trouble = .full
        } else if let failure {
            trouble = .failing(failure)
        }
        guard trouble != toldTrouble else { return }
        toldTrouble = trouble
        failureObserver?(words)
    }

    /// What keeps the store from taking commits, in words; nil when nothing does.
    var words: String? { stall ?? space.shortage ?? failure }
}

extension SQLiteStore {
    private var stallNanoseconds: UInt64 { UInt64(limits.stallSeconds) * 1_000_000_000 }

    /// Looks again when what is under way now will have waited too long.
    ///
    /// One timer for all batches, set only while something is under way.
    func watchForStall() {
        guard stallTimer == nil, !isStalled, let oldest = underway.oldest else { return }
        let age = loop.nanoseconds - min(oldest, loop.nanoseconds)
        let rest = Int64((stallNanoseconds - min(age, stallNanoseconds)) / 1_000_000)
        stallTimer = loop.schedule(afterMilliseconds: max(1, rest)) { [weak self] in
            self?.stallTimer = nil
            self?.lookForStall()
        }
    }

    private var hasOverdue: Bool {
        underway.oldest.map { loop.nanoseconds >= $0 + stallNanoseconds } ?? false
    }

    private func lookForStall(isSure: Bool = false) {
        guard hasOverdue else { return watchForStall() }
        guard isSure else {
            // A process that was stopped for a while finds this timer due before it hears of what
            // the writer reported long ago.
            stallTimer = loop.schedule(afterMilliseconds: 1) { [weak self] in
                self?.stallTimer = nil
                self?.lookForStall(isSure: true)
            }
            return
        }
        isStalled = true
        tellTrouble()
        let reason = stall ?? ""
        let waiting = loads
        // What comes of them later finds nobody who waits.
        loads = [:]
        for completion in waiting.values { completion(.failed(reason)) }
        let asked = questions
        questions = [:]
        for question in asked.values { question.completion(nil) }
        stallObserver?(reason)
    }

    /// The writer reported: it is stalled no longer, unless what comes next is overdue as well.
    func writerAnswered() {
        guard isStalled, !hasOverdue else { return }
        isStalled = false
        watchForStall()
    }
}

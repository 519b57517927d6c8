internal import Coordinator

extension SQLiteStore {
    /// Sessions that one step deletes, so that a commit behind it waits some milliseconds.
    static let burialLimit = 100
    /// How many on a disk so slow that the step's own time is not what others wait for.
    private static let slowBurialLimit = 1000
    /// Sessions for each millisecond that the step before took, the disk included.
    private static let burialsPerMillisecond = 5
    /// Milliseconds between two steps while commits wait for the disk.
    private static let pauseMilliseconds: Int64 = 10

    /// Deletes what is too old, one step after the other until nothing of it is left.
    ///
    /// A call while that is under way adds nothing: what has become too old meanwhile is found by
    /// the next one.
    package func expire(_ limits: RetentionLimits) {
        post(.forgetQuarantine(before: limits.idleBefore))
        retryParked()
        for operation in undeleted.values { post(operation) }
        shrinkIfSparse()
        guard pass == nil else { return }
        pass = RetentionPass(limits)
        forgetPlacements()
    }

    private func shrinkIfSparse() {
        places.shrinkIfSparse()
        parked.shrinkIfSparse()
        loads.shrinkIfSparse()
        undeleted.shrinkIfSparse()
        unwrittenOwners.shrinkIfSparse()
    }

    private func forgetPlacements() {
        guard let pass else { return }
        post(.forgetPlacements(deletedBefore: pass.limits.deletedBefore, limit: Self.burialLimit))
    }

    func forgot(_ count: Int) {
        pass?.deleted += count
        if count < Self.burialLimit { goOn() } else { inGoodTime { $0.forgetPlacements() } }
    }

    /// Those of them that are still without activation are deleted.
    func found(_ ids: [SessionID], isVacant: Bool, next: IdleQuery?) {
        guard let limits = pass?.limits else { return }
        pass?.next = next
        pass?.stepBegan = loop.nanoseconds
        let dead = ids.filter { places[$0] == nil && parked[$0] == nil && loads[$0] == nil }
        guard !dead.isEmpty else { return goOn() }
        post(
            .bury(
                Burial(
                    sessions: dead, isVacant: isVacant,
                    placementSeconds: limits.placementSeconds, at: loop.now)))
    }

    func buried(_ count: Int) {
        pass?.buried += count
        pass?.deleted += count
        if let began = pass?.stepBegan {
            let milliseconds = Int(clamping: (loop.nanoseconds - began) / 1_000_000)
            pass?.next?.limit = max(
                Self.burialLimit,
                min(Self.slowBurialLimit, milliseconds * Self.burialsPerMillisecond))
        }
        goOn()
    }

    /// Posts the next step, or ends the walk.
    private func goOn() {
        guard let pass else { return }
        if let next = pass.next {
            self.pass?.next = nil
            inGoodTime { $0.post(.findIdle(next)) }
        } else if let kind = nextKind(pass) {
            post(.findIdle(kind))
        } else {
            endPass()
        }
    }

    private func nextKind(_ pass: RetentionPass) -> IdleQuery? {
        guard !pass.isPastOthers else { return nil }
        let isVacant = !pass.isPastVacant
        if isVacant { self.pass?.isPastVacant = true } else { self.pass?.isPastOthers = true }
        return IdleQuery(
            isVacant: isVacant,
            before: isVacant ? pass.limits.vacantBefore : pass.limits.idleBefore,
            limit: Self.burialLimit)
    }

    /// Ends the walk, also before its end when the store failed.
    func endPass() {
        guard let ended = pass.take() else { return }
        if ended.buried > 0 { burialObserver?(ended.buried) }
        if closing == nil { post(.tidy(deleted: ended.deleted)) }
    }

    /// Live commits first.
    private func inGoodTime(_ step: @escaping (SQLiteStore) -> Void) {
        guard closing == nil else { return endPass() }
        guard queueDepth > 0 else { return step(self) }
        pause = loop.schedule(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in
            guard let self else { return }
            pause = nil
            if closing == nil { step(self) } else { endPass() }
        }
    }
}

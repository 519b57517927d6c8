import Coordinator

/// What a screen does to find out what survived.
extension SimulatedScreen {
    /// Applies an event with an id of its own, now or on the next connection; when the answer is lost
    /// it is sent again.
    func applyNoted(
        _ event: JSON, isConnected: Bool, then: @escaping (Answer) -> Void
    ) {
        let entry = events.note(event, isConnected: isConnected, then: then)
        if entry.isUnderWay { transmit(entry) }
    }

    /// Sends again what was lost, and some events that were acknowledged, each with its old id.
    func repeatEvents() {
        for entry in events.takeLost() {
            if entry.attempts > 1 { context.tally.chaos.resentUnanswered += 1 }
            transmit(entry)
        }
        for entry in events.sample() {
            context.tally.chaos.resentAcknowledged += 1
            send(entry.event, id: entry.id) { screen, answer in screen.check(answer, of: entry) }
        }
    }

    private func transmit(_ entry: EventLedger.Entry) {
        send(entry.event, id: entry.id) { screen, answer in
            if case .lost = answer {
                screen.context.tally.eventsUnanswered += 1
                screen.events.lost(entry.id)
            } else {
                screen.answered(entry, answer)
            }
        }
    }

    private func answered(_ sent: EventLedger.Entry, _ answer: Answer) {
        guard let entry = events.answered(sent.id) else { return }
        count(answer)
        switch answer {
        case .accepted(let result, _):
            if let revision = result["rev"]?.number?.unsigned {
                accepted(entry, result, revision)
            }
        case .refused:
            events.refuse(entry)
            if let revision = revisions?.revision(ofMark: entry.id) {
                revisions?.tell(
                    .refusedButApplied, device, expected: "no revision of \(entry.id)",
                    found: "revision \(revision)")
            }
        case .lost: break
        }
        onAnswer(answer)
        entry.then(answer)
    }

    private func accepted(_ entry: EventLedger.Entry, _ result: JSON, _ revision: UInt64) {
        let isDuplicate = result["duplicate"]?.bool == true
        if isDuplicate {
            context.tally.chaos.duplicates += 1
            if entry.attempts == 1 {
                revisions?.tell(
                    .strangeID, device, expected: "\(entry.id) as new", found: "a duplicate")
            }
        }
        if let published = revisions?.revision(ofMark: entry.id), published != revision {
            revisions?.tell(
                .otherAnswer, device,
                expected: "\(entry.id) answered with its revision \(published)",
                found: "\(revision)")
        }
        revisions?.acknowledged(revision)
        events.accept(entry, Self.withoutDuplicate(result), revision: revision)
        context.onAcknowledged()
    }

    /// Checks the answer to an event that was acknowledged before.
    private func check(_ answer: Answer, of entry: EventLedger.Acknowledged) {
        switch answer {
        case .accepted(let result, _):
            guard result["duplicate"]?.bool == true else {
                revisions?.tell(
                    .forgottenID, device,
                    expected: "\(entry.id) as a duplicate of revision \(entry.revision)",
                    found: JSONWriter.text(of: result))
                return
            }
            context.tally.chaos.duplicates += 1
            let again = Self.withoutDuplicate(result)
            if Fold.canonicalText(again) != Fold.canonicalText(entry.answer) {
                revisions?.tell(
                    .otherAnswer, device,
                    expected: "\(entry.id) answered with \(JSONWriter.text(of: entry.answer))",
                    found: JSONWriter.text(of: again))
            }
        case .refused(let error):
            revisions?.tell(
                .forgottenID, device,
                expected: "\(entry.id) as a duplicate of revision \(entry.revision)",
                found: "error \(error.code) \(error.message)")
        case .lost: break
        }
    }

    private static func withoutDuplicate(_ answer: JSON) -> JSON {
        .object(JSONObject((answer.object?.members ?? []).filter { $0.key != "duplicate" }))
    }

    /// Checks a subscribe reply against what the session's screens have seen, which was revision
    /// `known` when it was asked for.
    func noteSubscribed(_ reply: Reply.Subscribe, asked: StreamPosition?, known: UInt64) {
        guard let revisions, let position = reply.position else { return }
        let reached = reply.publications.last?.offset ?? position.offset
        if reached < known {
            revisions.tell(
                .lostRevision, device, expected: "revision \(known) or a later one",
                found: "the newest is \(reached)")
        }
        if let asked, !reply.recovered, !context.toleratesSnapshots {
            revisions.tell(
                .notRecovered, device,
                expected: "the tail after \(asked.offset) of epoch \(asked.epoch)",
                found: "a snapshot of \(position.offset) of epoch \(position.epoch)")
        }
        revisions.saw(position, at: device)
        for publication in reply.publications { revisions.saw(publication, at: device) }
    }

    /// Compares all of the history with what was seen before.
    func compareHistory() {
        let history = Coordinator.Command.History(channel: "session:\(session)", limit: -1)
        let known = revisions?.top ?? 0
        request(.history(history)) { screen, result in
            guard case .success(.history(let history)) = result else {
                return screen.failed("history", result)
            }
            let compared = screen.revisions?.saw(
                history, known: known, size: screen.context.historySize, at: screen.device)
            screen.context.tally.chaos.historyCompared += compared ?? 0
        }
    }

    /// Compares all answers with all revisions, when everything was seen.
    func auditEvents() {
        guard let revisions else { return }
        for id in events.refused {
            guard let revision = revisions.revision(ofMark: id) else { continue }
            revisions.tell(
                .refusedButApplied, device, expected: "no revision of \(id)",
                found: "revision \(revision)")
        }
        for entry in events.acknowledged {
            let published = revisions.revision(ofMark: entry.id) ?? entry.revision
            guard published != entry.revision else { continue }
            revisions.tell(
                .otherAnswer, device, expected: "\(entry.id) as revision \(entry.revision)",
                found: "revision \(published)")
        }
    }
}

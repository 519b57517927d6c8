import Coordinator
import TestSupport

// MARK: - What the server says

extension Device {
    func take(_ line: Span<UInt8>) {
        if isNextRevision(line) { return }
        do throws(JSONError) {
            let message = try JSONCodec.decodeServerMessage(line)
            world.trace("\(name) ← \(Self.text(line).prefix(400))")
            switch message {
            case .ping: pong()
            case .reply(let id, let kind, let result): answer(id, kind, result)
            case .failure(let id, let error): refused(id, error)
            case .push(let channel, let kind, let payload): push(channel, kind, payload)
            }
        } catch {
            fail("a line is no message: \(error): \(Self.text(line))")
        }
    }

    private static func text(_ line: Span<UInt8>) -> String {
        String(decoding: [UInt8](copying: line), as: UTF8.self)
    }

    /// The next revision comes in the same bytes for everybody, so it need not be read again.
    private func isNextRevision(_ line: Span<UInt8>) -> Bool {
        guard following == .live, let mirror, let incarnation,
            let next = incarnation[mirror.revision + 1], next.line.count == line.count
        else { return false }
        for index in line.indices where line[index] != next.line[index] { return false }
        world.trace("\(name) ← revision \(mirror.revision + 1)")
        take(publication: next.data, offset: mirror.revision + 1)
        return true
    }

    private func take(publication data: JSON, offset: UInt64) {
        do throws(FoldedMirror.Unexpected) {
            try mirror?.take(publication: ["offset": .integer(offset), "data": data])
        } catch {
            fail("\(error)")
        }
        world.tally.deliveries += 1
        if offset % 16 == 0 { compare() }
    }

    /// What it has folded is what is durable.
    func compare() {
        guard let mirror, let state = incarnation?.state(at: mirror.revision) else { return }
        world.tally.comparisons += 1
        demand(mirror.state == state, "the fold differs at revision \(mirror.revision)")
    }

    private func push(_ channel: String?, _ kind: String, _ payload: JSON) {
        switch (channel, kind) {
        case (nil, "disconnect"):
            link?.leave(.closed)
            if let link { lost(link) }
        case ("session:\(session)", "pub"): published(payload)
        case ("session:\(session)", "unsubscribe"):
            left()
            if payload.unsigned("code") == 2000 { forget() }
        case ("session:\(session)", "join"), ("session:\(session)", "leave"):
            demand(following == .live || following == .leaving, "a join before the subscription")
        case ("stage:\(session)", "pub"):
            demand(
                stage == .live || stage == .leaving, "an effect for somebody without the stage")
            if let effect = payload["data"] { took(effect) }
        case ("stage:\(session)", "unsubscribe"): stage = .not
        default: fail("nobody knows \(kind) of \(channel ?? "nothing")")
        }
    }

    /// The subscription is over; it may have asked for the next one.
    private func left() {
        following = questions.values.contains(where: \.isFollow) ? .asked : .not
    }

    /// The session is gone, and with it what was known of it.
    private func forget() {
        mirror = nil
        incarnation = nil
        answered = []
    }

    private func published(_ payload: JSON) {
        demand(
            following == .live || following == .leaving, "a publication before the subscription")
        // A signal is passed on and forgotten.
        guard let offset = payload.unsigned("offset"), let data = payload["data"] else { return }
        guard let mirror, let incarnation else { return fail("a publication without a state") }
        demand(
            offset == mirror.revision + 1, "revision \(offset) follows on \(mirror.revision)")
        guard let revision = incarnation[offset] else {
            return fail("revision \(offset) is seen and not durable, which \(incarnation.top) is")
        }
        demand(revision.data == data, "revision \(offset) is seen in other words")
        take(publication: data, offset: offset)
    }

    func took(_ effect: JSON) {
        world.tally.effects += 1
        guard let seq = effect.unsigned("seq") else { return fail("an effect without a number") }
        demand(seq > lastEffect, "effect \(seq) comes after \(lastEffect)")
        // Only who follows knows which incarnation it is of.
        if following == .live, let incarnation {
            if let problem = incarnation.saw(effect) { fail(problem) }
            demand(
                !incarnation.acknowledged.contains(seq),
                "effect \(seq) comes after its acknowledgement")
        }
        lastEffect = max(lastEffect, seq)
        if effect["kind"]?.string == "placeBet" {
            guard let id = effect["placementId"]?.string else { return fail("a bet without an id") }
            world.tally.bets += 1
            world.offers["\(session) \(id)", default: 0] += 1
            demand(world.offers["\(session) \(id)"] == 1, "the bet \(id) is to be placed again")
            bets.append(id)
        } else {
            inbox.append(seq)
        }
    }
}

// MARK: - Answers

extension Device {
    private func answer(_ id: UInt32, _ kind: String, _ result: JSON) {
        guard let question = questions.removeValue(forKey: id) else {
            return fail("an answer to nothing, \(id)")
        }
        checkOrder(id, question)
        switch question {
        case .connect:
            isConnected = true
            if following == .not { begin() }
        case .follow(let wanted): followed(result, wanted)
        case .followAgain:
            // It is the first one when the server had just ended the one before.
            demand(following == .asked || following == .not, "a second subscription is admitted")
            followed(result, nil)
        case .leave: left()
        case .leaveStage: stage = .not
        case .stage: tookStage(result)
        case .apply(let call): applied(call, result["data"] ?? .null)
        case .acknowledge(let seqs, let holder): holder?.acknowledged.formUnion(seqs)
        case .take, .close: break
        case .presence: checkPresence(result)
        case .state: compare(with: result["data"] ?? .null)
        case .history: readHistory(result)
        }
    }

    /// A session's answers leave in the order of what was asked (contract: domain, section 3).
    private func checkOrder(_ id: UInt32, _ question: Question) {
        guard question.isOrdered else { return }
        demand(id > lastAnswer, "\(id) is answered after \(lastAnswer)")
        lastAnswer = id
    }

    private func refused(_ id: UInt32, _ error: ReplyError) {
        guard let question = questions.removeValue(forKey: id) else {
            return fail("an error for nothing, \(id): \(error)")
        }
        // These two the connection says by itself.
        if error.code != 105, error.code != 111 { checkOrder(id, question) }
        switch question {
        case .connect: fail("connect is refused: \(error)")
        case .follow:
            // The second try that it overtook may be the one that counts.
            if error.code == 105, questions.values.contains(where: \.isFollow) { return }
            demand([102, 503].contains(error.code), "following is refused: \(error)")
            following = .not
        case .followAgain:
            demand([102, 105, 503].contains(error.code), "following twice: \(error)")
            // It may have been all that there was.
            if following == .asked, !questions.values.contains(where: \.isFollow) {
                following = .not
            }
        case .leave: left()
        case .leaveStage: stage = .not
        case .stage:
            demand([102, 103, 423, 503].contains(error.code), "the stage is refused: \(error)")
            stage = .not
        case .apply(let call): refused(call, error)
        case .acknowledge, .take, .state, .history, .presence, .close:
            demand([102, 103, 112, 503].contains(error.code), "refused: \(error)")
        }
    }

    private func refused(_ call: Call, _ error: ReplyError) {
        world.tally.refused += 1
        demand(
            [102, 103, 111, 409, 422, 503].contains(error.code), "an event is refused: \(error)")
        demand(
            call.answer == nil || ![409, 422].contains(error.code)
                || call.answer?.epoch != world.disk.present(session)?.epoch,
            "event \(call.tag), answered before, is refused: \(error)")
        if [102, 111, 503].contains(error.code), call.id != nil, call.sends < 40 {
            // It will pass; the same id makes it safe.
            return unanswered.append(call)
        }
        // Only one that was sent once cannot have come in another way.
        guard call.sends == 1 else { return }
        world.refusedTags.insert(call.tag)
        for one in world.disk.all(session) {
            demand(one.places[call.tag] == nil, "event \(call.tag) is refused and counts: \(error)")
        }
    }

    private func followed(_ result: JSON, _ wanted: StreamPosition?) {
        following = .live
        guard let epoch = result["epoch"]?.string, let offset = result.unsigned("offset") else {
            return fail("a subscription without epoch and offset")
        }
        guard let stream = world.disk.incarnation(session, epoch) else {
            return fail("epoch \(epoch) is named and not durable")
        }
        demand(result["recoverable"]?.bool == true, "the subscription is recoverable")
        demand(result["positioned"]?.bool == true, "the subscription is positioned")
        demand(
            (result["was_recovering"]?.bool ?? false) == (wanted != nil),
            "was_recovering is as asked")
        let isRecovered = result["recovered"]?.bool ?? false
        if wanted != nil { world.tally.resumes += 1 }
        incarnation = stream
        if isRecovered {
            world.tally.recoveries += 1
            recovered(result, wanted, stream, offset)
        } else {
            do throws(FoldedMirror.Unexpected) {
                mirror = try FoldedMirror(subscribed: result)
            } catch {
                return fail("\(error)")
            }
            demand(result["publications"] == nil, "a snapshot has no tail")
            demand(offset <= stream.top, "revision \(offset) is shown, durable is \(stream.top)")
            compare()
            if let wanted { judge(unrecovered: wanted, stream, offset) }
        }
        sendAgain()
    }

    private func recovered(
        _ result: JSON, _ wanted: StreamPosition?, _ stream: Incarnation, _ offset: UInt64
    ) {
        guard let wanted else { return fail("it is recovered without having asked") }
        demand(wanted.epoch == stream.epoch, "it is recovered into another epoch")
        demand(offset == wanted.offset, "the offset is not the one asked for")
        demand(result["data"] == nil, "a recovery has a snapshot too")
        let tail = result["publications"]?.array ?? []
        demand(
            tail.count <= world.weather.session.historySize, "\(tail.count) are replayed")
        world.tally.replayed += tail.count
        for publication in tail { published(publication) }
        compare()
    }

    /// Recovery may only fail where it cannot be complete (contract: protocol, Channels).
    private func judge(unrecovered wanted: StreamPosition, _ stream: Incarnation, _ offset: UInt64)
    {
        guard wanted.epoch == stream.epoch else {
            let old = world.disk.incarnation(session, wanted.epoch)
            return demand(old?.isDeleted ?? true, "the epoch changed although nothing was lost")
        }
        guard offset >= wanted.offset else {
            return fail("\(wanted.offset) was seen, the server is at \(offset)")
        }
        let settings = world.weather.session
        let missed = offset - wanted.offset
        guard missed <= UInt64(settings.historySize) else { return }
        guard missed > 0 else { return fail("nothing was missed, and it is not recovered") }
        guard let oldest = stream[wanted.offset + 1] else { return }
        let bytes = (wanted.offset + 1...offset).reduce(0) {
            $0 + (stream[$1]?.publication.data.count ?? 0)
        }
        demand(
            oldest.at < world.now - settings.historySeconds * 1000
                || bytes > settings.recoveryBytes,
            "\(missed) revisions were missed since \(wanted.offset), and it is not recovered")
    }

    private func tookStage(_ result: JSON) {
        stage = .live
        if let link { world.stageMoved(to: link, of: name, in: session) }
        inbox = []
        lastEffect = 0
        for effect in result["data"]?["pending"]?.array ?? [] { took(effect) }
    }

    private func applied(_ call: Call, _ answer: JSON) {
        world.tally.accepted += 1
        guard let revision = answer.unsigned("rev") else { return fail("an answer without rev") }
        let isRepeat = answer["duplicate"]?.bool ?? false
        if isRepeat { world.tally.duplicates += 1 }
        // Made anew, a session knows nothing of what was answered before.
        let holders = world.disk.all(session).filter { one in
            one.top >= revision
                && (one.renewed.contains(call.tag) || one.places[call.tag] ?? revision == revision)
        }
        guard let holder = holders.last(where: { $0.places[call.tag] != nil }) ?? holders.last
        else {
            let places = world.disk.all(session).map { "\($0.places[call.tag] ?? 0) of \($0.top)" }
            return fail("event \(call.tag) is answered with \(revision), but it is \(places)")
        }
        if let first = call.answer, first.epoch == world.disk.present(session)?.epoch,
            first.epoch == holder.epoch, !holder.renewed.contains(call.tag)
        {
            demand(isRepeat, "event \(call.tag) is taken for a new one")
            demand(first.revision == revision, "event \(call.tag) is answered in another way")
        }
        let isCertain = holders.count == 1 || holder.places[call.tag] != nil
        guard call.id != nil, isCertain else { return }
        var kept = call
        if kept.answer?.epoch != holder.epoch {
            accepted += 1
            kept.answer = (revision, holder.epoch, accepted)
        }
        answered.append(kept)
        if answered.count > 8 { answered.removeFirst() }
    }

    private func compare(with answer: JSON) {
        guard let epoch = answer["epoch"]?.string, let revision = answer.unsigned("rev"),
            let stream = world.disk.incarnation(session, epoch)
        else { return fail("the state is of an epoch that is not durable") }
        demand(revision <= stream.top, "the state is of revision \(revision) of \(stream.top)")
        world.tally.comparisons += 1
        if let state = stream.state(at: revision) {
            demand(answer["state"] == state, "the state of revision \(revision) is another one")
        }
        guard let mirror, mirror.epoch == epoch, mirror.revision == revision else { return }
        demand(answer["state"] == mirror.state, "the fold differs from the server's state")
    }

    /// Nobody is there who is not; in a calm world everybody is who should be.
    private func checkPresence(_ result: JSON) {
        let shown = (result["presence"]?.object?.members ?? []).compactMap { member in
            member.value["chan_info"]?["device"]?.string
        }
        demand(Set(shown).count == shown.count, "a device is present twice: \(shown)")
        let devices = world.devices.filter { $0.session == session }.map(\.name)
        demand(Set(shown).isSubset(of: devices), "strangers are present: \(shown)")
        guard world.isSettled else { return }
        demand(Set(shown) == Set(devices), "present are \(shown), not \(devices)")
    }

    private func readHistory(_ result: JSON) {
        guard let epoch = result["epoch"]?.string,
            let stream = world.disk.incarnation(session, epoch)
        else { return fail("the history is of an epoch that is not durable") }
        var last: UInt64?
        for publication in result["publications"]?.array ?? [] {
            guard let offset = publication.unsigned("offset") else {
                return fail("a publication of the history has no offset")
            }
            demand(last.map { offset == $0 + 1 } ?? true, "the history has a gap at \(offset)")
            demand(offset <= stream.top, "the history has what is not durable")
            if let revision = stream[offset] {
                demand(publication["data"] == revision.data, "the history has other words")
            }
            last = offset
        }
    }
}

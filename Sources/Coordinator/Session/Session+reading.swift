extension Session {
    /// Refuses everybody who asked to read and waits for a change under way.
    ///
    /// The disk has not answered for too long. What is under way, and who asked for it, waits on.
    package mutating func giveUpReading(_ reason: String) -> [SessionAction] {
        let refusal = ReplyError.storageUnavailable(reason)
        return gate.withdraw(where: \.isReading).compactMap { $0.failed(refusal) }
    }

    /// Admits a subscriber with the publications it missed, or with a snapshot.
    ///
    /// A recovery that cannot be complete, or is too large for the connection, is a snapshot and
    /// never a partial tail (contract: protocol, Channels).
    mutating func admit(
        _ caller: Caller, _ command: UInt32, _ wishes: SessionCall.Subscription,
        _ state: SessionState, revision: UInt64, at now: Instant
    ) {
        var result = Reply.Subscribe(position: StreamPosition(epoch: epoch, offset: revision))
        if let wanted = wishes.recover {
            result.wasRecovering = true
            if let tail = recover(wanted, at: now) {
                result.recovered = true
                result.publications = tail
                // The position asked for: an SDK advances it over the publications by itself.
                result.position = StreamPosition(epoch: epoch, offset: wanted.offset)
            } else if wishes.refusesUnrecovered {
                let error = ReplyError.unrecoverablePosition(
                    "offset \(wanted.offset) of epoch \(wanted.epoch) is not in the replay window")
                actions.append(
                    .reply(connection: caller.connection, command: command, .error(error)))
                return
            }
        }
        if !result.recovered {
            result.data = Self.document(rev: revision, state: state)
        }
        actions.append(
            .admit(caller, joinLeave: wishes.joinLeave, command: command, result))
    }

    private mutating func recover(_ wanted: StreamPosition, at now: Instant) -> [Publication]? {
        guard !wanted.epoch.isEmpty, wanted.epoch.hasSameBytes(as: epoch),
            let tail = history.tail(after: wanted.offset, at: now)
        else { return nil }
        let size = tail.reduce(0) { $0 + $1.listedBytes }
        return size <= settings.recoveryBytes ? tail : nil
    }

    /// The answer to `history` of the session's channel.
    mutating func page(_ request: Command.History, at now: Instant) -> Reply.Body {
        if let since = request.since, !since.epoch.isEmpty, !since.epoch.hasSameBytes(as: epoch) {
            return .error(.unrecoverablePosition("the epoch is \(epoch), not \(since.epoch)"))
        }
        if request.reverse, request.since?.offset == 0 {
            return .error(.badRequest("history.since.offset: 0 has nothing before it"))
        }
        let publications = history.page(
            since: request.since?.offset, limit: request.limit, reverse: request.reverse, at: now
        ).prefix(bytes: settings.recoveryBytes)
        return .history(
            Reply.History(
                position: StreamPosition(epoch: epoch, offset: history.top),
                publications: publications))
    }

    /// The result of `session.state`: epoch, revision and state.
    func stateDocument() -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.write([
            "epoch": .string(epoch), "rev": .integer(revision), "state": viewing.state.json,
        ])
        return writer.bytes
    }

    private static func document(rev: UInt64, state: SessionState) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.write(["rev": .integer(rev), "state": state.json])
        return writer.bytes
    }
}

extension Publication {
    /// Bytes in a list of a JSON answer: `{"data":…,"offset":7},`.
    var listedBytes: Int { data.count + (offset.map { 20 + String($0).utf8.count } ?? 10) }
}

extension [Publication] {
    /// As many from the start as fit into `bytes`, but one at least: the rest is asked for next.
    fileprivate func prefix(bytes limit: Int) -> [Publication] {
        var bytes = 0
        let count = prefix { publication in
            bytes += publication.listedBytes
            return bytes <= limit
        }.count
        return Array(prefix(Swift.max(1, count)))
    }
}

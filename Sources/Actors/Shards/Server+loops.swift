internal import Coordinator

// MARK: - Connections of all loops

extension Server {
    /// Gives accepted connections to the loops in turn; gives back those that are for this one.
    ///
    /// One loop has the listeners: several sockets on one port would let a second daemon have it too.
    func deal(_ stream: DetachedStream, _ tls: TLSEndpoint?) -> DetachedStream? {
        guard let post else { return stream }
        let place = state.withValue { state -> Int in
            state.dealt = (state.dealt + 1) % post.count
            return state.dealt
        }
        guard place != post.index else { return stream }
        post.send(to: place) { $0.server.accepted(stream, tls) }
        return nil
    }

    /// Serves a client that has just connected, to another loop.
    private func accepted(_ detached: DetachedStream, _ tls: TLSEndpoint?) {
        do throws(UVError) {
            let stream = try open(detached)
            accepted(tls.map { secured(stream, by: $0) } ?? stream)
        } catch {
            logSparsely("accept failed", ["error": .string(error.description)])
        }
    }

    private func open(_ detached: DetachedStream) throws(UVError) -> UVStream {
        guard let loop = loop as? UVEventLoop else { throw .cancelled("open a connection") }
        return try detached.open(on: loop)
    }

    /// Goes on with a connection that has come from another loop.
    func arrived(_ passage: Passage) {
        guard !state.withValue({ $0.isClosed }), let stream = try? goOn(passage.stream) else {
            return lost(passage)
        }
        let connection = ClientConnection(passage, stream, server: self)
        let leaves = state.withValue { $0.isDraining }
        connection.state.withValue { $0.isLeaving = leaves }
        enter(connection)
        doors.arrived(leaves: leaves)
        expel(connection, havingHeardOf: passage.revocations)
        connection.goOn(with: passage.held)
        if leaves { connection.disconnect(.shutdown) }
    }

    private func goOn(_ detached: DetachedStream) throws(UVError) -> any ByteStream {
        let stream = try open(detached)
        guard let part = detached.takeSecured() else { return stream }
        return TLSStream(
            goingOn: part, over: stream, on: loop, with: state.withValue { $0.buffers },
            report: tlsReporter)
    }

    private func lost(_ passage: Passage) {
        doors.arrived(leaves: false)
        doors.closed(from: passage.address, wasLeaving: false)
    }

    /// Lets go of a connection that is on its way to the loop at a place.
    func depart(_ passage: Passage, to place: Int) {
        state.withValue { $0.connections[passage.number] = nil }
        sessions.unregister(passage.number)
        doors.departed()
        post?.send(.arrival(passage), to: place)
    }
}

// MARK: - Sessions of all loops

extension Server {
    /// Tells the sessions of a connection that it is gone, on the loops at the places in `asked`, too.
    func tellLost(_ number: UInt64, following followed: [SessionID], asked: LoopSet) {
        guard let post else {
            return sessions.connectionLost(number, following: followed)
        }
        let byPlace = Dictionary(grouping: followed) { post.place(of: $0) }
        sessions.connectionLost(number, following: byPlace[post.index] ?? [])
        for place in 0..<post.count where asked.contains(place) {
            post.send(.lost(number, following: byPlace[place] ?? []), to: place)
        }
    }

    /// Hands what a session on another loop says to its connection, if that is still there.
    func heard(_ word: RemotePeer.Word, from peer: RemotePeer) {
        peer.heard(word)
        guard let connection = state.withValue({ $0.connections[peer.number] }) else { return }
        switch word {
        case .reply(let command, let body): connection.reply(to: command, body)
        case .bytes(let bytes): connection.send(bytes)
        case .unsubscribe(let channel, let reason):
            connection.unsubscribe(from: channel, reason)
        case .disconnect(let reason): connection.disconnect(reason)
        case .tooMuch: connection.dropSlowReader()
        }
    }

    /// Asks a session of any loop one thing; see ``SessionSystem``.
    func ask(
        _ session: SessionID, _ call: SessionCall, _ completion: @escaping (Reply.Body) -> Void
    ) {
        guard let post, post.place(of: session) != post.index else {
            return sessions.ask(session, call, completion)
        }
        let (home, answer) = (post.index, LoopBound(completion, on: loop))
        post.send(to: post.place(of: session)) { shard in
            shard.sessions.ask(session, call) { body in
                shard.post.send(to: home) { _ in answer.value(body) }
            }
        }
    }

    /// Lists the sessions of all loops; see ``SessionSystem``.
    ///
    /// Why it could not is in words.
    func list(
        after start: String, limit: Int,
        _ completion: @escaping (Result<SessionPage, ReplyError>) -> Void
    ) {
        guard let post, post.index != Post.first else {
            return sessions.list(after: start, limit: limit) { [sessions] page in
                if let page { return completion(.success(page)) }
                let reason = sessions.condition.stall ?? "store.failing: it cannot be read"
                completion(.failure(.storageUnavailable(reason)))
            }
        }
        let (home, answer) = (post.index, LoopBound(completion, on: loop))
        post.send(to: Post.first) { first in
            first.server.list(after: start, limit: limit) { result in
                first.post.send(to: home) { _ in answer.value(result) }
            }
        }
    }

    /// Makes the page of the metrics of all loops.
    func metricsPage(_ completion: @escaping ([UInt8]) -> Void) {
        guard let post else { return completion(metrics.page(gauges())) }
        post.gather({ shard, answer in answer(shard.server.tally) }) { [metrics] tallies in
            completion(MetricsPage.text(tallies.sum, startedAt: metrics.startedAt))
        }
    }

    private var tally: ServerTally {
        ServerTally(values: metrics.snapshot, gauges: gauges())
    }
}

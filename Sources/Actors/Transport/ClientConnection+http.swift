internal import Coordinator

// MARK: - HTTP

extension ClientConnection {
    /// Speaks HTTP from now on.
    func beginHTTP() {
        let settings = server.settings
        state.withValue { state in
            state.http = HTTPExchange(
                limits: settings.http, patienceSeconds: settings.client.connectSeconds,
                deadline: state.client.deadline)
        }
    }

    /// Reads requests and has them answered, one after the other.
    func takeRequests(_ bytes: Span<UInt8>) {
        var position = 0
        while true {
            let now = server.loop.turnTime
            let step = state.withValue { state in
                guard state.isOpen else { return HTTPExchange.Step.none }
                return state.http?.next(in: bytes, at: &position, now: now) ?? .none
            }
            switch step {
            case .none: return
            case .fault(let fault): return finish(HTTPResponse(fault))
            case .expectsContinue(let request):
                if let refusal = server.routes.refusal(of: request, context) {
                    return finish(refusal)
                }
                write { $0.append(contentsOf: HTTPResponse.goOn) }
            case .request(let request) where request.isWebSocket:
                return upgrade(request, bytes.extracting(position..<bytes.count))
            case .request(let request):
                server.routes.answer(request, context) { [weak self] response in
                    self?.respond(response, to: request)
                }
                guard waits(for: bytes.extracting(position..<bytes.count)) else { continue }
                return
            }
        }
    }

    private var context: HTTPRoutes.Context {
        HTTPRoutes.Context(server: server, peer: address) { [weak self] in
            self?.takeEvent() ?? false
        }
    }

    /// Takes one event out of the connection's rate; false when there is none.
    private func takeEvent() -> Bool {
        let now = server.loop.turnTime
        let perSecond = server.settings.client.eventsPerSecond
        return state.withValue { $0.http?.takeEvent(at: now, perSecond: perSecond) ?? false }
    }

    /// Stops reading when the present request is answered later; the rest is kept for then.
    private func waits(for rest: Span<UInt8>) -> Bool {
        let stream = state.withValue { state -> (any ByteStream)? in
            guard state.isOpen, case .serving = state.http?.phase else { return nil }
            state.http?.phase = .waiting
            state.http?.backlog.append(lent: rest)
            return state.stream
        }
        stream?.stopReading()
        return stream != nil
    }

    /// Answers the present request, once, and reads on.
    private func respond(_ response: HTTPResponse, to request: HTTPRequest) {
        let now = server.loop.turnTime
        let isDraining = server.isDraining
        let (stays, resumes) = state.withValue { state -> (Bool, Bool) in
            guard state.isOpen, var http = state.http else { return (false, false) }
            let resumes = http.answered(at: now)
            state.http = http
            return (request.keepsAlive && !http.isLast && !isDraining, resumes)
        }
        guard state.withValue({ $0.isOpen }) else { return }
        write(response, keepsAlive: stays, isHead: request.method == "HEAD")
        guard stays else {
            // What still comes must be read, or a reset would overtake the answer.
            if resumes { start() }
            return linger()
        }
        if resumes { resume() }
    }

    /// Goes on with what came while an answer was waited for.
    private func resume() {
        let backlog = state.withValue { state -> [UInt8] in
            let backlog = state.http?.backlog ?? []
            state.http?.backlog = []
            return backlog
        }
        takeRequests(backlog.span)
        let (isReading, hasEnded) = state.withValue { state in
            guard state.isOpen, case .reading = state.http?.phase else { return (false, false) }
            return (true, state.inputEnded)
        }
        guard isReading else { return }
        if hasEnded { linger() } else { start() }
    }

    /// Answers what is no request, or may not become one, and ends the connection.
    func finish(_ response: HTTPResponse) {
        guard state.withValue({ $0.isOpen }) else { return }
        write(response, keepsAlive: false, isHead: false)
        linger()
    }

    private func write(_ response: HTTPResponse, keepsAlive: Bool, isHead: Bool) {
        server.metrics.responded(response.status)
        let date = CivilTime(server.loop.turnTime).httpText
        // An answer that is alone always fits, however little may wait for a reader.
        write(isAlone: true) {
            response.encode(date: date, keepsAlive: keepsAlive, isHead: isHead, into: &$0)
        }
    }

    /// What is due by the clock: a request that does not come to its end, or does not come at all.
    func tickHTTP(at now: Instant) {
        let isIdle = state.withValue { state -> Bool? in
            guard let http = state.http, http.deadline <= now else { return nil }
            return http.isIdle
        }
        switch isIdle {
        case nil: break
        case true?: linger()
        case false?:
            finish(.problem(.requestTimeout, "the request was not there in time"))
        }
    }

    /// Ends the connection with the request that is under way, or at once without one.
    func leaveHTTP() {
        let isIdle = state.withValue { state in
            guard state.isOpen, let http = state.http else { return false }
            state.http?.isLast = true
            return http.isIdle
        }
        if isIdle { linger() }
    }

    /// The client sends nothing more; gives whether the connection still owes it an answer.
    func endHTTPInput() {
        let isWaiting = state.withValue { state in
            state.inputEnded = true
            if case .waiting = state.http?.phase { return true }
            return false
        }
        if !isWaiting { linger() }
    }
}

internal import Coordinator

/// Where a connection that speaks HTTP is: requests are answered one at a time, in order.
struct HTTPExchange {
    /// What the bytes so far have come to.
    enum Step {
        /// Nothing to do before more bytes come, or before the present answer is there.
        case none
        /// Somebody waits for a word before sending the body.
        case expectsContinue(HTTPRequest)
        case request(HTTPRequest)
        case fault(HTTPFault)
    }

    enum Phase {
        /// Reads the next request.
        case reading
        /// A request is being answered, in this very call.
        case serving
        /// A request will be answered later; until then nothing is read.
        case waiting
    }

    private let patienceSeconds: Int64
    private var parser: HTTPParser
    var phase = Phase.reading
    /// When the request must be there, or how long the connection may idle.
    private(set) var deadline: Instant
    /// What came behind the request that waits.
    var backlog: [UInt8] = []
    /// Whether the connection ends with the next answer.
    var isLast = false
    /// The rate of events; nil before the first one.
    private var rate: RateLimit?

    /// - Parameters:
    ///   - limits: of each request.
    ///   - patienceSeconds: for a request from its first byte to its last, and between requests.
    ///   - deadline: of the first request.
    init(limits: HTTPLimits, patienceSeconds: Int64, deadline: Instant) {
        parser = HTTPParser(limits: limits)
        self.patienceSeconds = patienceSeconds
        self.deadline = deadline
    }

    /// Whether no request is under way.
    var isIdle: Bool {
        if case .reading = phase { parser.isIdle } else { false }
    }

    mutating func next(in bytes: Span<UInt8>, at position: inout Int, now: Instant) -> Step {
        guard case .reading = phase, position < bytes.count else { return .none }
        let wasIdle = parser.isIdle
        let step: HTTPParser.Step
        do throws(HTTPFault) {
            step = try parser.next(in: bytes, at: &position)
        } catch {
            return .fault(error)
        }
        switch step {
        case .needsMore:
            if wasIdle, !parser.isIdle, !isFirst { deadline = limit(from: now) }
            return .none
        case .expectsContinue(let request):
            // The body has the time that a request has.
            deadline = limit(from: now)
            return .expectsContinue(request)
        case .request(let request):
            phase = .serving
            deadline = .never
            isFirst = false
            return .request(request)
        }
    }

    /// The answer is on its way; gives whether reading had stopped for it.
    mutating func answered(at now: Instant) -> Bool {
        defer { phase = .reading }
        deadline = limit(from: now)
        if case .waiting = phase { return true }
        return false
    }

    /// Takes one event out of the rate; false when there is none.
    mutating func takeEvent(at now: Instant, perSecond: Int) -> Bool {
        var rate = self.rate ?? RateLimit(perSecond: perSecond, at: now)
        defer { self.rate = rate }
        return rate.take(at: now)
    }

    /// The first request's time is counted from the beginning of the connection.
    private var isFirst = true

    private func limit(from now: Instant) -> Instant {
        now.advanced(bySeconds: patienceSeconds)
    }
}

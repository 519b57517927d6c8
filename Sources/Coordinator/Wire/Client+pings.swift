extension Client {
    /// Looks at the clock; to be called when ``deadline`` has come.
    package mutating func tick(at now: Instant) -> ClientTick {
        guard deadline <= now else { return .none }
        if expiry <= now {
            if isExpired(at: now) { return .disconnect(.connectionExpired) }
            let expired = end(expiredSubscriptions(at: now), because: .expired)
            noteExpiry()
            if !expired.isEmpty { return .end(expired) }
        }
        guard due <= now else { return .none }
        switch phase {
        case .ended: return .none
        case .new, .refused: return .disconnect(.stale)
        case .pinged: return .disconnect(.noPong)
        case .connected(let device):
            guard settings.pingSeconds > 0 else { return .none }
            // Counted from when the ping was due, so that late timers do not add up.
            let regular = due.advanced(bySeconds: settings.pingSeconds)
            let nextPing = regular > now ? regular : now.advanced(bySeconds: settings.pingSeconds)
            phase = .pinged(device: device, nextPing: nextPing)
            due = now.advanced(byMilliseconds: settings.pongMilliseconds)
            return .ping
        }
    }

    /// A pong; each ping allows one.
    mutating func pong() -> ClientAction {
        guard case .pinged(let device, let nextPing) = phase else {
            return .disconnect(.badRequest)
        }
        phase = .connected(device: device)
        due = nextPing
        return .none
    }

    /// The random moment between half an interval and a whole one after the connect
    /// (protocol facts: Centrifugal, server pings).
    func firstPing(after now: Instant) -> Instant {
        guard settings.pingSeconds > 0 else { return .never }
        let milliseconds = Double(settings.pingSeconds) * 1000 * (0.5 + jitter / 2)
        return now.advanced(byMilliseconds: Int64(milliseconds))
    }
}

extension Instant {
    /// Later than anything that happens.
    package static let never = Instant(milliseconds: .max)
}

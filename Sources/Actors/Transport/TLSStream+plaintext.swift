internal import Coordinator

extension TLSStream {
    /// What a client is told that does not speak TLS: in its own words, as far as the first bytes tell
    /// them (contract: protocol, Carriers).
    static func answer(toPlaintext bytes: Span<UInt8>, at now: Instant) -> [UInt8] {
        var answer: [UInt8] = []
        let words = "this port speaks TLS only"
        switch Carrier.detect(bytes) {
        case .line: JSONCodec.encode(ReplyError.badRequest(words), into: &answer)
        case .http:
            HTTPResponse.problem(.badRequest, words).encode(
                date: CivilTime(now).httpText, keepsAlive: false, isHead: false, into: &answer)
        case .webSocket, .needsMore, .unknown: break
        }
        return answer
    }
}

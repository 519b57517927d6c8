import Coordinator

/// What a parser makes of a text, read in pieces.
struct ParsedHTTP: Equatable {
    var requests: [HTTPRequest] = []
    /// Heads whose sender waited for a word.
    var waited = 0
    var fault: HTTPFault?
    /// Whether the last request is not whole.
    var isPartial = false

    /// Feeds `text` in pieces of `size` bytes.
    init(_ text: String, pieces size: Int = .max, limits: HTTPLimits = HTTPLimits()) {
        self.init(bytes: Array(text.utf8), pieces: size, limits: limits)
    }

    init(bytes: [UInt8], pieces size: Int = .max, limits: HTTPLimits = HTTPLimits()) {
        var parser = HTTPParser(limits: limits)
        var start = 0
        do throws(HTTPFault) {
            while start < bytes.count {
                let end = start + min(size, bytes.count - start)
                let piece = Array(bytes[start..<end])
                var position = 0
                reading: while true {
                    switch try parser.next(in: piece.span, at: &position) {
                    case .needsMore: break reading
                    case .expectsContinue: waited += 1
                    case .request(let request): requests.append(request)
                    }
                }
                start = end
            }
        } catch {
            fault = error
        }
        isPartial = fault == nil && !parser.isIdle
    }
}

/// A request line, a Host field and more lines, each without its end.
func request(_ line: String, _ fields: String..., body: String = "") -> String {
    ([line, "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
}

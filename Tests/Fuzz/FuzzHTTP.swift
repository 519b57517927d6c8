// The entry of a libFuzzer run over the reader of HTTP requests. Built by Scripts/fuzz.sh together
// with the sources it is about.

/// Feeds one input, whole and in pieces; the first byte says how long the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    var whole = FuzzedReader()
    whole.receive(input.span)
    whole.check()
    var cut = FuzzedReader()
    let step = max(1, Int(first))
    for begin in stride(from: 0, to: input.count, by: step) {
        cut.receive(input.span.extracting(begin..<min(begin + step, input.count)))
    }
    precondition(whole.requests == cut.requests, "the cuts change the requests")
    precondition(whole.fault == cut.fault, "the cuts change the fault")
    return 0
}

/// A connection that reads requests until the first fault.
private struct FuzzedReader {
    private static let limits = HTTPLimits(headBytes: 512, headFields: 8, bodyBytes: 64)

    private var parser = HTTPParser(limits: limits)
    private(set) var requests: [HTTPRequest] = []
    private(set) var fault: HTTPFault?

    mutating func receive(_ bytes: Span<UInt8>) {
        guard fault == nil else { return }
        var position = 0
        do throws(HTTPFault) {
            while true {
                let before = position
                switch try parser.next(in: bytes, at: &position) {
                case .needsMore:
                    precondition(position == bytes.count, "bytes are left over")
                    return
                case .expectsContinue: break
                case .request(let request): requests.append(request)
                }
                precondition(before <= position && position <= bytes.count)
            }
        } catch {
            fault = error
        }
    }

    /// What was read is within the limits, and no two readers could read it differently.
    func check() {
        for request in requests {
            precondition(request.body.count <= Self.limits.bodyBytes)
            precondition(request.fields.fields.count <= Self.limits.headFields)
            precondition(request.path.hasPrefix("/") || request.path == "*")
            precondition(!request.isVersion11 || request.fields.values("host").count == 1)
            let lengths = request.fields.values("content-length")
            let codings = request.fields.values("transfer-encoding")
            precondition(lengths.isEmpty || codings.isEmpty)
            for field in request.fields.fields {
                precondition(!field.name.isEmpty && field.name == field.name.lowercased())
                precondition(field.value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
            }
            _ = request.keepsAlive
            _ = request.upgrade
            _ = request.segments
            _ = request.parameter("a")
            checkAccess(of: request)
            _ = try? EventBody.read(request.body)
            _ = try? RevocationBody.read(request.body)
        }
    }
    private static let key = APIKey("0123456789abcdef")

    /// Nobody gets in who may not.
    private func checkAccess(of request: HTTPRequest) {
        let origins = OriginRule(allowed: ["https://shop.example"])
        let open = HTTPAccess(
            apiKey: nil, requiresTokens: false, isExposed: false, origins: origins)
        if open.refusal(of: request, .api, isLocal: true) == nil {
            let host = request.host.lowercased()
            precondition(["l", "1", "["].contains(host.first))
            precondition(request.fields.values("origin").count <= 1)
            precondition(open.webSocketRefusal(of: request) == nil)
        }
        let locked = HTTPAccess(
            apiKey: Self.key, requiresTokens: true, isExposed: true, origins: origins)
        if locked.refusal(of: request, .api, isLocal: false) == nil {
            let given = request.fields.fields.map(\.value)
            precondition(given.contains { $0.hasSuffix("0123456789abcdef") })
        }
    }
}

/// The statuses that are answered (RFC 9110, section 15; RFC 6585; RFC 4918 for 423).
package enum HTTPStatus: Int, Sendable, Hashable, CaseIterable {
    case ok = 200
    case noContent = 204
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case lengthRequired = 411
    case contentTooLarge = 413
    case uriTooLong = 414
    case unsupportedMediaType = 415
    case expectationFailed = 417
    case unprocessableContent = 422
    case locked = 423
    case upgradeRequired = 426
    case tooManyRequests = 429
    case headerFieldsTooLarge = 431
    case internalServerError = 500
    case notImplemented = 501
    case serviceUnavailable = 503
    case versionNotSupported = 505

    /// The words behind the number.
    package var phrase: String {
        switch self {
        case .ok: "OK"
        case .noContent: "No Content"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .expectationFailed: "Expectation Failed"
        case .unprocessableContent: "Unprocessable Content"
        case .locked: "Locked"
        case .upgradeRequired: "Upgrade Required"
        case .tooManyRequests: "Too Many Requests"
        case .headerFieldsTooLarge: "Request Header Fields Too Large"
        case .internalServerError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}

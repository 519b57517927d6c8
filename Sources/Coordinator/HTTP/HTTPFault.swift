/// Why a request is answered with an error and its connection closed: where it ends is not known.
package struct HTTPFault: Error, Sendable, Equatable {
    /// The status of the answer.
    package var status: HTTPStatus
    /// What is wrong, in plain words without anything that the client sent.
    package var detail: String

    /// A fault with its status.
    package init(_ status: HTTPStatus, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    /// 400: the bytes are no request that can be understood in only one way.
    static func malformed(_ detail: String) -> HTTPFault {
        HTTPFault(.badRequest, detail)
    }
}

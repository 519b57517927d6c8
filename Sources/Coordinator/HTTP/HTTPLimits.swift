/// How much of a request is read before it is refused.
package struct HTTPLimits: Sendable, Equatable {
    /// Bytes of the request line and the header together; as many again for trailers.
    package var headBytes: Int
    /// Lines of the header; as many again for trailers.
    package var headFields: Int
    /// Bytes of a body, decoded.
    package var bodyBytes: Int

    /// The defaults of the configuration, or other numbers.
    package init(headBytes: Int = 16_384, headFields: Int = 100, bodyBytes: Int = 65_536) {
        self.headBytes = headBytes
        self.headFields = headFields
        self.bodyBytes = bodyBytes
    }
}

// Every number that a client can be told; documents and metrics are held to these lists.

extension ReplyError {
    /// The numbers of all errors, those of events included.
    package static let codes: [UInt32] = [
        100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 111, 112, 409, 422, 423, 503,
    ]
}

extension Disconnect {
    /// The numbers of all disconnects.
    package static let codes: [UInt32] = [
        3001, 3005, 3008, 3012, 3500, 3501, 3502, 3503, 3508,
    ]
}

extension Unsubscribe {
    /// The numbers of all ends of subscriptions.
    package static let codes: [UInt32] = [2000, 2100, 2500, 2501]
}

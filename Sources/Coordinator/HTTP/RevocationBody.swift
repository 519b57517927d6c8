/// The body of `POST /v1/revoke` (contract: protocol, Authentication).
package enum RevocationBody {
    /// Reads whose tokens are taken back.
    ///
    /// - Throws: 107 for what is not `{"user"}` or `{"tokenID"}`.
    package static func read(_ body: [UInt8]) throws(ReplyError) -> RevokedSubject {
        let document = try EventBody.object(body)
        if let defect = document.defects.first {
            throw .badRequest("\(defect.location(from: "body")): \(defect.kind)")
        }
        let fields = try RequestFields(document, path: "body")
        switch (try fields.string("user"), try fields.string("tokenID")) {
        case (let user?, nil): return .user(user)
        case (nil, let name?): return .tokenID(name)
        case (nil, nil): throw .badRequest("body.user or body.tokenID is missing")
        case (_?, _?): throw .badRequest("body.user and body.tokenID exclude each other")
        }
    }
}

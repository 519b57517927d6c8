internal import Security

/// Makes tokens that are signed with the configured secret (HS256).
package enum TokenSigner {
    /// A token with these claims.
    package static func token(_ claims: JSONObject, secret: [UInt8]) -> String {
        let header: JSON = ["alg": "HS256", "typ": "JWT"]
        let signed = [header, .object(claims)].map { part in
            Base64URL.text(of: JSONWriter.bytes(of: part))
        }.joined(separator: ".")
        let code = HMACSHA256.code(of: Array(signed.utf8), key: secret)
        return signed + "." + Base64URL.text(of: code)
    }
}

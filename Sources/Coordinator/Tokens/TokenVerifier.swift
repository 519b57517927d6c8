package import Security

/// Checks JSON Web Tokens against the configured keys (RFC 7519, 7515; advice of RFC 8725).
///
/// The keys say which algorithms count, never the token: a secret checks HS256 alone, a public key
/// the algorithm of its kind.
package struct TokenVerifier: Sendable {
    /// For HS256; nil when none is configured.
    package var secret: [UInt8]?
    /// For RS256 or ES256; nil when none is configured.
    package var publicKey: VerifyingKey?
    /// What `aud` must hold; nil when it is not checked.
    package var audience: String?
    /// What `iss` must be; nil when it is not checked.
    package var issuer: String?

    /// Bytes of the longest token that is looked at.
    package static let maximumBytes = 16_384
    /// Seconds that an issuer's clock may be ahead.
    private static let leewaySeconds: Int64 = 5
    private static let maximumDepth = 16

    /// A verifier with these keys.
    package init(
        secret: [UInt8]? = nil, publicKey: VerifyingKey? = nil, audience: String? = nil,
        issuer: String? = nil
    ) {
        self.secret = secret
        self.publicKey = publicKey
        self.audience = audience
        self.issuer = issuer
    }

    /// Why a text is no public key that can be used.
    package struct KeyFault: Error, Sendable, CustomStringConvertible {
        /// The fault in plain words.
        package let description: String
    }

    /// A verifier with a secret, a public key as PEM text, or both.
    ///
    /// - Throws: ``KeyFault`` of the public key.
    package init(
        secret: [UInt8]? = nil, publicKey pem: [UInt8]?, audience: String? = nil,
        issuer: String? = nil
    ) throws(KeyFault) {
        var key: VerifyingKey?
        do throws(VerifyingKey.Fault) {
            if let pem { key = try VerifyingKey(pem: pem) }
        } catch {
            throw KeyFault(description: error.description)
        }
        self.init(secret: secret, publicKey: key, audience: audience, issuer: issuer)
    }

    /// What a token says, true or not, for its bearer's own use; nil for what is no token.
    package static func peek(_ token: String) -> TokenClaims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? object(parts[1], "payload") else { return nil }
        return try? TokenClaims(payload)
    }

    /// The claims of a token that is genuine, meant for this service, and counts at `now`.
    ///
    /// - Throws: ``TokenFault``; that it is expired only of one that is good otherwise.
    package func verify(_ token: String, at now: Instant) throws(TokenFault) -> TokenClaims {
        guard token.utf8.count <= Self.maximumBytes else {
            throw .malformed("it is longer than \(Self.maximumBytes) bytes")
        }
        let parts = token.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("it does not have three parts") }
        try checkSignature(Substring(parts[2]), of: parts[0], parts[1])
        let payload = try Self.object(Substring(parts[1]), "payload")
        let claims = try TokenClaims(payload)
        try checkService(payload)
        if let expires = claims.expires, expires <= now { throw .expired }
        let begins = try TokenClaims.instant("nbf", payload)
        if let begins, begins > now.advanced(bySeconds: Self.leewaySeconds) { throw .expired }
        return claims
    }

    private func checkSignature(
        _ signature: Substring, of header: Substring.UTF8View, _ payload: Substring.UTF8View
    ) throws(TokenFault) {
        let fields = try Self.object(Substring(header), "header")
        // An extension that must be understood, and none is (RFC 7515, section 4.1.11).
        guard fields["crit"] == nil else { throw .malformed("its header demands extensions") }
        guard let bytes = Base64URL.bytes(of: signature) else {
            throw .malformed("its signature is not base64url")
        }
        let signed = Array(header) + [UInt8(ascii: ".")] + Array(payload)
        let isGenuine: Bool
        switch fields["alg"]?.string {
        case "HS256":
            guard let secret else { throw .algorithm }
            isGenuine = HMACSHA256.isCode(bytes, of: signed, key: secret)
        case let name?:
            guard let publicKey, publicKey.algorithm.rawValue == name else { throw .algorithm }
            isGenuine = publicKey.isSignature(bytes, of: signed)
        case nil: throw .algorithm
        }
        guard isGenuine else { throw .signature }
    }

    private func checkService(_ payload: JSONObject) throws(TokenFault) {
        let issued = try TokenClaims.text("iss", payload)
        let value = payload["aud"] ?? .null
        let named = value.array ?? (value.isNull ? [] : [value])
        guard named.allSatisfy({ $0.string != nil }) else {
            throw .claim("aud must be a string or a list of strings")
        }
        if let issuer {
            guard issued?.hasSameBytes(as: issuer) == true else { throw .wrong("issuer") }
        }
        guard let audience else { return }
        guard named.contains(where: { $0.string?.hasSameBytes(as: audience) == true }) else {
            throw .wrong("audience")
        }
    }

    /// The JSON object in a part; anything doubled in it could be read in two ways.
    private static func object(
        _ part: Substring, _ name: String
    ) throws(TokenFault) -> JSONObject {
        guard let bytes = Base64URL.bytes(of: part) else {
            throw .malformed("its \(name) is not base64url")
        }
        guard let document = try? JSONParser.parse(bytes.span, maximumDepth: maximumDepth),
            document.defects.isEmpty, let object = document.root.object
        else { throw .malformed("its \(name) is not a JSON object") }
        return object
    }
}

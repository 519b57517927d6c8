/// What a token says of its bearer (contract: protocol, Authentication).
package struct TokenClaims: Sendable, Equatable {
    /// `sub`: the user; empty for nobody in particular.
    package var user = ""
    /// `exp`: when it is over; nil for never.
    package var expires: Instant?
    /// `iat`: when it was made.
    package var issued: Instant?
    /// `jti`: its own name.
    package var id: String?
    /// `device`: the device's stable id.
    package var device: String?
    /// `sessions`: where it counts.
    package var sessions: [SessionScope] = []
    /// `role`: the highest role it allows.
    package var role = Role.observer
    /// `create`: whether its bearer may make sessions.
    package var mayCreate = false
    /// `place`: whether its bearer may place bets as a mirror.
    package var mayPlace = false
    /// `channel`: what a subscription token is for; nil in a connection token.
    package var channel: String?
    /// `info` (or `b64info`), what others are shown of its bearer: one JSON text.
    package var info: [UInt8]?

    /// A token that allows nothing.
    package init() {}

    /// Scopes that one token may list.
    private static let scopeLimit = 1000
    /// Bytes of a user's, a device's and a token's name.
    static let nameBytes = 256
    /// Bytes of `info`: all who are present get that of everybody.
    private static let infoBytes = 1024

    /// Reads the claims in a token's payload; claims that are not known are passed over.
    ///
    /// - Throws: ``TokenFault`` naming the claim that is not what it must be.
    init(_ object: JSONObject) throws(TokenFault) {
        user = try Self.text("sub", object) ?? ""
        expires = try Self.instant("exp", object)
        issued = try Self.instant("iat", object)
        id = try Self.text("jti", object)
        device = try Self.text("device", object)
        if device?.isEmpty == true { throw .claim("device must not be empty") }
        channel = try Self.text("channel", object)
        mayCreate = try Self.bool("create", object)
        mayPlace = try Self.bool("place", object)
        info = try Self.info(object)
        if let name = try Self.text("role", object) {
            guard let role = Self.roles[name] else {
                throw .claim("role must be player, mirror or observer")
            }
            self.role = role
        }
        guard let value = object["sessions"], !value.isNull else { return }
        guard let list = value.array, list.count <= Self.scopeLimit else {
            throw .claim("sessions must be a list of at most \(Self.scopeLimit)")
        }
        for entry in list {
            guard let scope = entry.string.flatMap(SessionScope.init) else {
                throw .claim("sessions must hold ids, or beginnings of ids and *")
            }
            sessions.append(scope)
        }
    }

    private static let roles: [String: Role] = [
        "player": .player, "mirror": .mirror, "observer": .observer,
    ]

    /// The id of a device that the user named, which the token ties to its user (contract: protocol,
    /// Channels).
    ///
    /// In the user's name `:` and `%` are written as in an address: otherwise the user `a` on the
    /// device `b:c` would be the user `a:b` on the device `c`.
    package func deviceID(of given: String) -> String {
        var bytes: [UInt8] = []
        // By bytes: a colon with an accent on it is a colon all the same.
        for byte in user.utf8 {
            switch byte {
            case UInt8(ascii: "%"): bytes += Array("%25".utf8)
            case UInt8(ascii: ":"): bytes += Array("%3A".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self) + ":" + given
    }

    static func text(_ name: String, _ object: JSONObject) throws(TokenFault) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string, text.utf8.count <= nameBytes else {
            throw .claim("\(name) must be a string of at most \(nameBytes) bytes")
        }
        return text
    }

    private static func info(_ object: JSONObject) throws(TokenFault) -> [UInt8]? {
        var bytes: [UInt8]?
        if let text = object["b64info"], !text.isNull {
            guard let decoded = text.string.flatMap({ Base64.bytes(of: $0) }),
                let document = try? JSONParser.parse(decoded.span)
            else { throw .claim("b64info must be JSON in base64") }
            bytes = JSONWriter.bytes(of: document.root)
        } else if let value = object["info"], !value.isNull {
            bytes = JSONWriter.bytes(of: value)
        }
        if let bytes, bytes.count > infoBytes {
            throw .claim("info must have at most \(infoBytes) bytes")
        }
        return bytes
    }

    private static func bool(_ name: String, _ object: JSONObject) throws(TokenFault) -> Bool {
        guard let value = object[name], !value.isNull else { return false }
        guard let truth = value.bool else { throw .claim("\(name) must be true or false") }
        return truth
    }

    /// Seconds since 1970, with a fraction where the issuer gives one (RFC 7519, section 2).
    static func instant(_ name: String, _ object: JSONObject) throws(TokenFault) -> Instant? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let seconds = value.number?.double, seconds >= 0, seconds < 1e12 else {
            throw .claim("\(name) must be a number of seconds since 1970")
        }
        return Instant(milliseconds: Int64(seconds * 1000))
    }
}

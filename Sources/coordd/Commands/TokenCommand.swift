import Actors
import Coordinator

/// `coordd token`: mints a token with the configured secret.
struct TokenCommand {
    private let options: TokenOptions
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run with options.
    init(
        _ options: TokenOptions, _ environment: [String: String], isRoot: Bool, _ console: Console
    ) {
        self.options = options
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Prints the token.
    func run() -> ExitCode {
        let auth: Configuration.Auth
        do throws(ConfigurationProblems) {
            auth = try ConfigurationLoader.load(
                file: options.config, environment: environment, isRoot: isRoot
            ).configuration.auth
        } catch {
            console.complain(error.list.map { "\($0)\n" }.joined())
            return .usage
        }
        guard let secret = auth.secret else {
            console.complain(
                "coordd token: auth.secret is not set, in \(options.config ?? "no file") or as "
                    + "COORDD_AUTH_SECRET; tokens of auth.publicKey are made by who has its private "
                    + "key\n")
            return .usage
        }
        let claims = claims(auth, at: SystemClock.now)
        let token = TokenSigner.token(claims, secret: Array(secret.utf8))
        let document: JSON = ["token": .string(token), "claims": .object(claims)]
        console.print((options.json ? LogText.json(document) : token) + "\n")
        return .done
    }

    private func claims(_ auth: Configuration.Auth, at now: Instant) -> JSONObject {
        var claims = JSONObject()
        let seconds = now.milliseconds / 1000
        claims.append("sub", ifPresent: options.user.map { .string($0) })
        claims.append("iat", .integer(seconds))
        claims.append("exp", .integer(seconds + options.seconds))
        claims.append("jti", .string(Self.newName()))
        claims.append("iss", ifPresent: auth.issuer.map { .string($0) })
        claims.append("aud", ifPresent: auth.audience.map { .string($0) })
        claims.append("device", ifPresent: options.device.map { .string($0) })
        if let channel = options.channel {
            claims.append("channel", .string(channel.description))
        } else {
            claims.append("sessions", .array(options.sessions.map { .string($0) }))
        }
        claims.append("role", .string(options.role.rawValue))
        if options.create { claims.append("create", true) }
        if options.place { claims.append("place", true) }
        return claims
    }

    /// What the token can be revoked by: 128 random bits.
    private static func newName() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

package import Actors
package import Coordinator

// The sections of ``Configuration``. They are nested values without behaviour, kept together like
// the sections of the file; meaning, unit and range of each key stand in ``ConfigurationTable``.
extension Configuration {
    /// Who decides about a bet.
    package enum BetslipConfirm: String, Sendable, Equatable, CaseIterable {
        /// The stage is asked to place it and settles it.
        case host
        /// It is accepted at once.
        case auto
    }

    /// `auth`.
    package struct Auth: Sendable, Equatable {
        /// `auth.apiKey`: nil is none.
        package var apiKey: APIKey?
        /// `auth.allowedOrigins`.
        package var allowedOrigins: [String] = []
        /// `auth.secret`: nil for none; never shown.
        package var secret: String?
        /// `auth.publicKey`.
        package var publicKey = KeyText()
        /// `auth.audience`: nil is not checked.
        package var audience: String?
        /// `auth.issuer`: nil is not checked.
        package var issuer: String?
        /// `auth.createSessions`.
        package var createSessions = true

        /// Whether clients must show tokens.
        package var usesTokens: Bool { secret != nil || publicKey.source != nil }
    }

    /// A key in PEM, and where it came from.
    package struct KeyText: Sendable, Equatable {
        /// The key itself or a path; nil for none.
        package var source: String?
        /// The key, which the loader reads and checks.
        package var pem: String?

        /// How a key begins, which no path does.
        static let beginning = "-----BEGIN"
    }

    /// `limits`.
    package struct Limits: Sendable, Equatable {
        /// `limits.messageBytes`.
        package var messageBytes = 65_536
        /// `limits.headBytes`.
        package var headBytes = 16_384
        /// `limits.headFields`.
        package var headFields = 100
        /// `limits.eventsPerSecond`.
        package var eventsPerSecond = 200
        /// `limits.outboundBytes`.
        package var outboundBytes = 1_048_576
        /// `limits.connections`.
        package var connections = 50_000
        /// `limits.connectionsPerAddress`: 0 is no limit.
        package var connectionsPerAddress = 0
        /// `limits.sessions`.
        package var sessions = 1_000_000
        /// `limits.sessionsPerUser`: 0 is no limit.
        package var sessionsPerUser = 0
        /// `limits.revocations`.
        package var revocations = 100_000
        /// `limits.subscriptions`.
        package var subscriptions = 128
        /// `limits.connectSeconds`.
        package var connectSeconds = 10
    }

    /// `ping`.
    package struct Ping: Sendable, Equatable {
        /// `ping.intervalSeconds`: nil is `"off"`.
        package var intervalSeconds: Int? = 25
        /// `ping.pongSeconds`, in milliseconds.
        package var pongMilliseconds = 10_000
    }

    /// `history`.
    package struct History: Sendable, Equatable {
        /// `history.size`.
        package var size = 256
        /// `history.seconds`.
        package var seconds = 600
    }

    /// `snapshot`.
    package struct Snapshot: Sendable, Equatable {
        /// `snapshot.revisions`.
        package var revisions = 200
        /// `snapshot.seconds`.
        package var seconds = 60
    }

    /// `store`.
    package struct Store: Sendable, Equatable {
        /// `store.queueCommits`.
        package var queueCommits = 8192
        /// `store.queueBytes`.
        package var queueBytes = 67_108_864
        /// `store.stallSeconds`.
        package var stallSeconds = 5
        /// `store.minimumFreeBytes`: 0 is no mark.
        package var minimumFreeBytes = 67_108_864
        /// `store.ballastBytes`: 0 is no ballast.
        package var ballastBytes = 67_108_864
        /// `store.damaged`.
        package var damaged = DamagePolicy.setAside
        /// `store.scrubPerSecond`: 0 is off.
        package var scrubPerSecond = 200
    }

    /// `sessions`.
    package struct Sessions: Sendable, Equatable {
        /// `sessions.idleSeconds`.
        package var idleSeconds = 60
        /// `sessions.retainSeconds`.
        package var retainSeconds = 86_400
        /// `sessions.retainEmptySeconds`.
        package var retainEmptySeconds = 3600
    }

    /// `stage`.
    package struct Stage: Sendable, Equatable {
        /// `stage.graceSeconds`.
        package var graceSeconds = 30
    }

    /// `betslip`.
    package struct Betslip: Sendable, Equatable {
        /// `betslip.confirm`.
        package var confirm = BetslipConfirm.host
        /// `betslip.deadlineSeconds`.
        package var deadlineSeconds = 30
    }

    /// `effects`.
    package struct Effects: Sendable, Equatable {
        /// `effects.deadlineSeconds`.
        package var deadlineSeconds = 5
    }

    /// `vendors`.
    package struct Vendors: Sendable, Equatable {
        /// `vendors.genius`.
        package var genius = Genius()
        /// `vendors.sauceflex`.
        package var sauceflex = Sauceflex()
        /// `vendors.sportradar`.
        package var sportradar = Sportradar()
        /// `vendors.bambuser`.
        package var bambuser = Bambuser()
    }

    /// A page's template, and the file that it came from.
    package struct PageFile: Sendable, Equatable {
        /// A path; nil for the template that is built in.
        package var file: String?
        /// The template, which the loader reads and checks.
        package var text: String
    }

    /// `vendors.genius`.
    package struct Genius: Sendable, Equatable {
        /// `vendors.genius.template`.
        package var page = PageFile(text: GeniusTemplate.builtIn)
        /// `vendors.genius.fullscreenSelector`.
        package var fullscreenSelector = ".video-container, .container-video"
    }

    /// `vendors.sauceflex`.
    package struct Sauceflex: Sendable, Equatable {
        /// `vendors.sauceflex.pipUseDelayMilliseconds`.
        package var pipUseDelayMilliseconds = 500
        /// `vendors.sauceflex.shareField`.
        package var shareField = "linkUrl"
    }

    /// `vendors.sportradar`.
    package struct Sportradar: Sendable, Equatable {
        /// `vendors.sportradar.template`.
        package var page = PageFile(text: SportradarTemplate.builtIn)
    }

    /// `vendors.bambuser`.
    package struct Bambuser: Sendable, Equatable {
        /// `vendors.bambuser.openURLPatterns`.
        package var openURLPatterns = ["/privacy"]
    }

    /// `secrets`.
    package struct Secrets: Sendable, Equatable {
        /// `secrets.queryParameters`.
        package var queryParameters = ["accessToken", "token", "apikey", "password"]
        /// `secrets.keyFile`: a path; empty until the loader has chosen the default.
        package var keyFile = ""
    }

    /// `bounds`.
    package struct Bounds: Sendable, Equatable {
        /// `bounds.outbox`.
        package var outbox = 64
        /// `bounds.outboxBytes`.
        package var outboxBytes = 524_288
        /// `bounds.selections`.
        package var selections = 50
        /// `bounds.idempotencyIds`.
        package var idempotencyIds = 256
        /// `bounds.idempotencyDevices`.
        package var idempotencyDevices = 64
        /// `bounds.placements`.
        package var placements = 1000
        /// `bounds.placementSeconds`.
        package var placementSeconds = 86_400
        /// `bounds.toastMilliseconds`.
        package var toastMilliseconds = 3000
        /// `bounds.stateBytes`.
        package var stateBytes = 65_536
        /// `bounds.contentBytes`.
        package var contentBytes = 16_384
        /// `bounds.textBytes`.
        package var textBytes = 256
    }

    /// `tls`: all three keys or none.
    package struct TLS: Sendable, Equatable {
        /// `tls.listen`.
        package var listen: ListenAddress?
        /// `tls.certificate`: a path.
        package var certificate: String?
        /// `tls.key`: a path.
        package var key: String?
    }

    /// `drain`.
    package struct Drain: Sendable, Equatable {
        /// `drain.seconds`.
        package var seconds = 10
    }

    /// `log`.
    package struct LogSettings: Sendable, Equatable {
        /// `log.level`.
        package var level = LogLevel.info
    }
}

import Actors
import Coordinator

/// Every key of the configuration, in the order of the example file.
///
/// The only list of keys: it drives reading, the environment, `check-config` and the example file.
package enum ConfigurationTable {
    /// Vendors that have a bridge.
    static let vendors = VendorTable.standard.names

    /// All keys, also those of features this version does not have yet.
    package static let keys =
        top + auth + limits + timing + sessions + vendorKeys + bounds + service

    /// The key with a dotted name.
    package static func key(_ name: String) -> ConfigurationKey? {
        keys.first { $0.name == name }
    }

    /// Whether `name` is a section: some key's path starts with it.
    static func isSection(_ name: String) -> Bool {
        keys.contains { $0.name.hasPrefix(name + ".") }
    }

    /// The names that may stand in a section, without those of features this version does not have.
    ///
    /// The empty name is the top.
    static func members(of section: String) -> [String] {
        let depth = section.isEmpty ? 0 : section.split(separator: ".").count
        var names: [String] = []
        for key in keys
        where section.isEmpty || key.name.hasPrefix(section + ".") {
            let name = key.path[depth]
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private static let top: [ConfigurationKey] = [
        ConfigurationKey("listen", "Address and port of all carriers", .address(\.listen)),
        ConfigurationKey(
            "data", "Folder with everything that is kept; one daemon at a time",
            .path(
                \.data, of: "folder", default: "$XDG_STATE_HOME/coordd, or /var/lib/coordd for root"
            )),
        ConfigurationKey(
            "loops", "Event loops, each a thread with its share of the sessions",
            .integer(
                \.loops, 1...Post.maximumCount, "loops",
                default: "the number of cores that the daemon may use"
            ) { $0.loopCount }),
        ConfigurationKey(
            "durability",
            "When a change is acknowledged: once it is on disk, or once it is in memory",
            .choice(\.durability)),
    ]

    private static let auth: [ConfigurationKey] = [
        ConfigurationKey(
            "auth.secret",
            "Shared secret of HS256 tokens; with it, or with auth.publicKey, clients need tokens",
            .secret(\.auth.secret, bytes: 32...4096)),
        ConfigurationKey(
            "auth.publicKey", "Public key of RS256 (RSA) or ES256 (P-256) tokens",
            .publicKey(\.auth.publicKey)),
        ConfigurationKey(
            "auth.apiKey",
            "Key of the HTTP API and of the metrics; without one they are for this machine only",
            .apiKey(\.auth.apiKey)),
        ConfigurationKey(
            "auth.audience", "Audience that a token must name (aud)",
            .optionalText(\.auth.audience, maximumBytes: 256, default: "none, it is not checked")),
        ConfigurationKey(
            "auth.issuer", "Issuer that a token must name (iss)",
            .optionalText(\.auth.issuer, maximumBytes: 256, default: "none, it is not checked")),
        ConfigurationKey(
            "auth.allowedOrigins",
            "Web pages that may open a WebSocket, besides those of the host that is asked; \"*\" is all",
            .origins(\.auth.allowedOrigins, count: 256)),
        ConfigurationKey(
            "auth.createSessions",
            "Whether subscribing creates an unknown session; with tokens their claim create decides",
            .boolean(\.auth.createSessions)),
    ]

    private static let limits: [ConfigurationKey] = [
        ConfigurationKey(
            "limits.messageBytes", "Longest line, frame or HTTP body from a client",
            .integer(\.limits.messageBytes, 1024...16_777_216, "bytes")),
        ConfigurationKey(
            "limits.headBytes", "Longest request line and header of an HTTP request",
            .integer(\.limits.headBytes, 1024...1_048_576, "bytes")),
        ConfigurationKey(
            "limits.headFields", "Header fields of an HTTP request",
            .integer(\.limits.headFields, 8...1000, "fields")),
        ConfigurationKey(
            "limits.eventsPerSecond", "Events a connection may send; a burst may be twice that",
            .integer(\.limits.eventsPerSecond, 1...1_000_000, "events per second")),
        ConfigurationKey(
            "limits.outboundBytes", "What may wait for a slow reader before it is disconnected",
            .integer(\.limits.outboundBytes, 4096...1_073_741_824, "bytes")),
        ConfigurationKey(
            "limits.connections", "Connections at a time",
            .integer(\.limits.connections, 1...1_000_000, "connections")),
        ConfigurationKey(
            "limits.connectionsPerAddress", "Connections at a time from one IP address; 0 is off",
            .integer(\.limits.connectionsPerAddress, 0...1_000_000, "connections")),
        ConfigurationKey(
            "limits.sessions", "Sessions that exist at a time",
            .integer(\.limits.sessions, 1...10_000_000, "sessions")),
        ConfigurationKey(
            "limits.sessionsPerUser", "Sessions that one user has made; 0 is off",
            .integer(\.limits.sessionsPerUser, 0...10_000_000, "sessions")),
        ConfigurationKey(
            "limits.revocations",
            "Users and tokens that may be revoked; one more is refused, and none is forgotten",
            .integer(\.limits.revocations, 1...10_000_000, "users and tokens")),
        ConfigurationKey(
            "limits.subscriptions", "Subscriptions of one connection",
            .integer(\.limits.subscriptions, 1...65_536, "subscriptions")),
        ConfigurationKey(
            "limits.connectSeconds",
            "A connection without a connect command or a whole HTTP request is closed after this",
            .integer(\.limits.connectSeconds, 1...600, "seconds")),
    ]

    private static let timing: [ConfigurationKey] = [
        ConfigurationKey(
            "ping.intervalSeconds", "How often a client is pinged",
            .integerOrOff(\.ping.intervalSeconds, 1...120, "seconds")),
        ConfigurationKey(
            "ping.pongSeconds",
            "How long a pong may take; below ping.intervalSeconds",
            .seconds(\.ping.pongMilliseconds, milliseconds: 100...119_999)),
        ConfigurationKey(
            "history.size", "Revisions kept for recovery",
            .integer(\.history.size, 1...65_536, "revisions")),
        ConfigurationKey(
            "history.seconds", "How long a revision is kept for recovery",
            .integer(\.history.seconds, 1...604_800, "seconds")),
        ConfigurationKey(
            "snapshot.revisions", "Changes of a session between two snapshots on disk",
            .integer(\.snapshot.revisions, 1...65_536, "changes")),
        ConfigurationKey(
            "snapshot.seconds", "How long a changed session goes without a snapshot on disk",
            .integer(\.snapshot.seconds, 1...86_400, "seconds")),
        ConfigurationKey(
            "store.queueCommits", "Changes that may wait for the disk; beyond that, error 503",
            .integer(\.store.queueCommits, 16...1_000_000, "changes")),
        ConfigurationKey(
            "store.queueBytes", "What these changes may weigh together; beyond that, error 503",
            .integer(\.store.queueBytes, 1_048_576...17_179_869_184, "bytes")),
        ConfigurationKey(
            "store.stallSeconds",
            "When the disk has not answered for this long nothing new waits for it: error 503",
            .integer(\.store.stallSeconds, 1...600, "seconds")),
        ConfigurationKey(
            "store.minimumFreeBytes",
            "With less free space in the data folder, or a sixteenth of its disk where that is less, "
                + "changes are refused, error 503; 0 is off",
            .integer(\.store.minimumFreeBytes, 0...1_099_511_627_776, "bytes")),
        ConfigurationKey(
            "store.ballastBytes",
            "Size of a file in the data folder that is given up to start on a full disk, at most a "
                + "sixteenth of the disk; 0 is off",
            .integer(\.store.ballastBytes, 0...17_179_869_184, "bytes")),
        ConfigurationKey(
            "store.damaged",
            "What becomes of a session that cannot be read: kept and refused, or a new epoch",
            .choice(\.store.damaged)),
        ConfigurationKey(
            "store.scrubPerSecond",
            "All stored sessions are read once a day, so many a second, to find damage; 0 is off",
            .integer(\.store.scrubPerSecond, 0...100_000, "sessions")),
    ]

    private static let sessions: [ConfigurationKey] = [
        ConfigurationKey(
            "sessions.idleSeconds", "A session nobody is connected to is set aside after this",
            .integer(\.sessions.idleSeconds, 1...86_400, "seconds")),
        ConfigurationKey(
            "sessions.retainSeconds", "A session nobody is connected to is deleted after this",
            .integer(\.sessions.retainSeconds, 1...31_536_000, "seconds")),
        ConfigurationKey(
            "sessions.retainEmptySeconds",
            "The same for one that never held a player, a slip or a bet; never longer than that",
            .integer(\.sessions.retainEmptySeconds, 1...31_536_000, "seconds")),
        ConfigurationKey(
            "stage.graceSeconds", "How long a disconnected stage is kept for its device",
            .integer(\.stage.graceSeconds, 0...86_400, "seconds")),
        ConfigurationKey(
            "effects.deadlineSeconds",
            "How long a stage may take to turn its screen or to start picture-in-picture",
            .integer(\.effects.deadlineSeconds, 1...600, "seconds")),
        ConfigurationKey(
            "betslip.confirm", "Who accepts a bet: the stage's host, or coordd at once",
            .choice(\.betslip.confirm)),
        ConfigurationKey(
            "betslip.deadlineSeconds", "A bet that is not settled by then is unknown",
            .integer(\.betslip.deadlineSeconds, 1...86_400, "seconds")),
    ]

    private static let vendorKeys: [ConfigurationKey] = [
        ConfigurationKey(
            "vendors.genius.template",
            "Page around the player, with the one placeholder {{config}}",
            .file(\.vendors.genius.page.file, default: "built in")),
        ConfigurationKey(
            "vendors.genius.fullscreenSelector", "CSS selector of what gets the class full-screen",
            .text(\.vendors.genius.fullscreenSelector, maximumBytes: 1024)),
        ConfigurationKey(
            "vendors.sauceflex.pipUseDelayMilliseconds",
            "Delay from the page's ready message to the script for its picture-in-picture button",
            .integer(\.vendors.sauceflex.pipUseDelayMilliseconds, 0...60_000, "milliseconds")),
        ConfigurationKey(
            "vendors.sauceflex.shareField", "Field of a share message that holds the link",
            .text(\.vendors.sauceflex.shareField, maximumBytes: 256)),
        ConfigurationKey(
            "vendors.sportradar.template",
            "Page around the widget, with the one placeholder {{config}}",
            .file(\.vendors.sportradar.page.file, default: "built in")),
        ConfigurationKey(
            "vendors.bambuser.openURLPatterns",
            "A link whose path contains one of these opens outside the player",
            .texts(\.vendors.bambuser.openURLPatterns, count: 64, maximumBytes: 256)),
        ConfigurationKey(
            "handlers", "Further names of message handlers, each with its vendor",
            .vendors(\.handlers, count: 256, vendors: vendors)),
        ConfigurationKey(
            "secrets.keyFile",
            "Key that seals stored secrets; made when absent, mode 0600, outside the data folder",
            .path(
                \.secrets.keyFile, of: "file",
                default: "coordd.key beside this file, else in $XDG_CONFIG_HOME/coordd, "
                    + "or in /etc/coordd")),
        ConfigurationKey(
            "secrets.queryParameters", "URL query parameters that are never published or logged",
            .texts(\.secrets.queryParameters, count: 64, maximumBytes: 128)),
    ]

    private static let bounds: [ConfigurationKey] = [
        ConfigurationKey(
            "bounds.outbox", "Effects that wait for a session's stage",
            .integer(\.bounds.outbox, 1...4096, "effects")),
        ConfigurationKey(
            "bounds.outboxBytes",
            "Size of these effects together; never more than half of limits.outboundBytes",
            .integer(\.bounds.outboxBytes, 2048...536_870_912, "bytes")),
        ConfigurationKey(
            "bounds.selections", "Selections in a betslip",
            .integer(\.bounds.selections, 1...1000, "selections")),
        ConfigurationKey(
            "bounds.idempotencyIds", "Request ids remembered for each device of a session",
            .integer(\.bounds.idempotencyIds, 1...65_536, "ids")),
        ConfigurationKey(
            "bounds.idempotencyDevices", "Devices of a session whose request ids are remembered",
            .integer(\.bounds.idempotencyDevices, 1...4096, "devices")),
        ConfigurationKey(
            "bounds.placements", "Bets remembered for each session",
            .integer(\.bounds.placements, 1...100_000, "bets")),
        ConfigurationKey(
            "bounds.placementSeconds", "How long a bet is remembered",
            .integer(\.bounds.placementSeconds, 1...31_536_000, "seconds")),
        ConfigurationKey(
            "bounds.toastMilliseconds", "How long a toast is shown",
            .integer(\.bounds.toastMilliseconds, 1...600_000, "milliseconds")),
        ConfigurationKey(
            "bounds.stateBytes", "Largest published state of a session",
            .integer(\.bounds.stateBytes, 4096...1_048_576, "bytes")),
        ConfigurationKey(
            "bounds.contentBytes", "Largest content of a load; at most bounds.stateBytes",
            .integer(\.bounds.contentBytes, 256...1_048_576, "bytes")),
        ConfigurationKey(
            "bounds.textBytes", "Longest id or text field of a selection",
            .integer(\.bounds.textBytes, 16...4096, "bytes")),
    ]

    private static let service: [ConfigurationKey] = [
        ConfigurationKey(
            "tls.listen", "Address and port of all carriers under TLS, besides listen",
            .address(\.tls.listen, default: "none")),
        ConfigurationKey(
            "tls.certificate",
            "Certificate chain in PEM, the server's own first; SIGHUP reads it anew",
            .file(\.tls.certificate, default: "none")),
        ConfigurationKey(
            "tls.key", "Private key of the first certificate in PEM, without a passphrase",
            .file(\.tls.key, default: "none")),
        ConfigurationKey(
            "drain.seconds", "How long clients are sent away for before the daemon ends",
            .integer(\.drain.seconds, 0...600, "seconds")),
        ConfigurationKey(
            "log.level", "Lines that matter less are dropped", .choice(\.log.level)),
    ]
}

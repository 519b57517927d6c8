package import Actors

/// Everything the daemon can be told, validated (contract: protocol, Command line).
///
/// Meaning, unit and range of each key stand in ``ConfigurationTable`` only.
package struct Configuration: Sendable, Equatable {
    /// `listen`.
    package var listen = ListenAddress.standard
    /// `data`: a path; empty until the loader has chosen the default.
    package var data = ""
    /// `loops`: nil for as many as there are cores.
    package var loops: Int?
    /// `durability`.
    package var durability = StoreDurability.commit
    /// `auth`.
    package var auth = Auth()
    /// `limits`.
    package var limits = Limits()
    /// `ping`.
    package var ping = Ping()
    /// `history`.
    package var history = History()
    /// `snapshot`.
    package var snapshot = Snapshot()
    /// `store`.
    package var store = Store()
    /// `sessions`.
    package var sessions = Sessions()
    /// `stage`.
    package var stage = Stage()
    /// `effects`.
    package var effects = Effects()
    /// `betslip`.
    package var betslip = Betslip()
    /// `vendors`.
    package var vendors = Vendors()
    /// `handlers`: names of message handlers to vendors.
    package var handlers: [String: String] = [:]
    /// `secrets`.
    package var secrets = Secrets()
    /// `tls`.
    package var tls = TLS()
    /// `bounds`.
    package var bounds = Bounds()
    /// `drain`.
    package var drain = Drain()
    /// `log`.
    package var log = LogSettings()

    /// The contract's defaults.
    package init() {}
}

extension Configuration {
    /// Whether any web page may open a WebSocket.
    var hasOpenOrigins: Bool { auth.allowedOrigins.contains("*") }

    /// What that means.
    static let openOriginsNote =
        "auth.allowedOrigins has \"*\": pages of any site may open a WebSocket in their visitors' name"
}

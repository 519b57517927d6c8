package import Actors

/// What `coordd simulate` was told.
package struct SimulateOptions: Sendable, Equatable {
    /// Whose phones are simulated.
    package enum Vendor: String, Sendable, Equatable, CaseIterable {
        case genius, sauceflex, lisa, sportradar, bambuser
        /// Every vendor there is, dealt to the sessions in turn.
        case all

        /// The vendors that are meant.
        package var vendors: [SimulatedVendor] {
            SimulatedVendor(rawValue: rawValue).map { [$0] } ?? SimulatedVendor.allCases
        }
    }

    /// The daemon; nil starts one of our own.
    package var connect: ListenAddress?
    /// The token to show; nil for that of the environment, if it has one.
    package var token: String?
    /// Whom to trust under TLS; nil without it.
    package var tls: TLSTrust?
    /// Sessions that are played.
    package var sessions = 5
    /// Second screens of each session.
    package var mirrors = 2
    /// Whose phones are simulated.
    package var vendor = Vendor.all
    /// How long to play.
    package var seconds = 10
    /// Fixes every choice; nil takes a new one.
    package var seed: UInt64?
    /// Whether connections and the own daemon are disturbed.
    package var chaos = false
    /// How often the own daemon is killed; nil for about every two seconds.
    package var kills: Int?
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init() {}

    init(_ arguments: ParsedArguments) throws(UsageError) {
        connect = try arguments.address("--connect")
        token = try arguments.text("--token")
        if token != nil, connect == nil {
            throw arguments.error("--token goes with --connect only")
        }
        tls = try arguments.tls(at: connect)
        sessions = try arguments.integer("--sessions", 1...100_000) ?? sessions
        mirrors = try arguments.integer("--mirrors", 0...10_000) ?? mirrors
        vendor = try arguments.choice("--vendor", of: Vendor.self) ?? vendor
        seconds = try arguments.integer("--seconds", 1...86_400) ?? seconds
        seed = try arguments.integer("--seed", 0...UInt64.max)
        chaos = arguments.has("--chaos")
        kills = try arguments.integer("--kills", 0...100_000)
        if kills != nil, !chaos { throw arguments.error("--kills needs --chaos") }
        if kills != nil, connect != nil {
            throw arguments.error("--kills needs a daemon of its own, so not --connect")
        }
        json = arguments.has("--json")
    }
}

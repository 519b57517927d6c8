package import Actors
import Coordinator

/// What `coordd bench` was told.
package struct BenchOptions: Sendable, Equatable {
    /// When events are sent.
    package enum Load: Sendable, Equatable {
        /// Open loop: so many a second over all sessions, each at its time whatever the daemon does.
        case rate(Double)
        /// Closed loop: so many of each session are on their way at any time.
        case window(UInt32)

        /// In words.
        package var words: String {
            switch self {
            case .rate(let rate):
                "open loop of \(JSONNumber(rate).text) events/s"
            case .window(let window): "closed loop with \(window) in flight each"
            }
        }
    }

    /// What messages travel in.
    package enum Carrier: String, Sendable, Equatable, CaseIterable { case line, websocket }

    /// How messages are written.
    package enum Codec: String, Sendable, Equatable, CaseIterable { case json, protobuf }

    /// The daemon; nil starts one of our own.
    package var connect: ListenAddress?
    /// The token to show; nil for that of the environment, if it has one.
    package var token: String?
    /// Whom to trust under TLS; nil without it.
    package var tls: TLSTrust?
    /// Sessions, each with a phone.
    package var sessions = 100
    /// Second screens of each session.
    package var screens = 2
    /// When events are sent.
    package var load = Load.rate(1000)
    /// Seconds that are measured.
    package var seconds = 5
    /// What messages travel in.
    package var carrier = Carrier.line
    /// How messages are written.
    package var codec = Codec.json
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
        screens = try arguments.integer("--screens", 1...10_000) ?? screens
        let rate = try arguments.decimal("--rate", 0.1...1_000_000)
        if let window = try arguments.integer("--window", UInt64(1)...1024) {
            if rate != nil { throw arguments.error("--rate does not go with --window") }
            load = .window(UInt32(window))
        } else if let rate {
            load = .rate(rate)
        }
        seconds = try arguments.integer("--seconds", 1...86_400) ?? seconds
        carrier = try arguments.choice("--carrier", of: Carrier.self) ?? carrier
        codec = try arguments.choice("--codec", of: Codec.self) ?? codec
        if codec == .protobuf, carrier == .line {
            throw arguments.error("--codec protobuf needs --carrier websocket")
        }
        json = arguments.has("--json")
    }

    /// Carrier and codec as one.
    package var benchCarrier: BenchCarrier {
        switch (carrier, codec) {
        case (.line, _): .line
        case (.websocket, .json): .webSocketJSON
        case (.websocket, .protobuf): .webSocketProtobuf
        }
    }
}

package import Actors
import Coordinator

/// Opens connections of many devices with one token.
///
/// A token without a device of its own ties each device to its user; what the daemon says of the
/// devices is told with the names that they were given.
package struct DeviceDialer: Sendable {
    /// Why a token is of no use for many devices.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The fault in plain words.
        package let description: String
    }

    private let token: String?
    private let tls: TLSTrust?
    private let claims: TokenClaims?

    /// A dialer with a token, or without any, under TLS with `tls`.
    ///
    /// - Throws: ``Fault`` for a token of one device, and for what is no token.
    package init(token: String?, tls: TLSTrust? = nil) throws(Fault) {
        self.token = token
        self.tls = tls
        claims = token.flatMap { TokenVerifier.peek($0) }
        guard token == nil || claims != nil else { throw Fault(description: "the token is none") }
        guard claims?.device == nil else {
            throw Fault(
                description:
                    "the token is for one device, and there are many: one without --device "
                    + "is needed")
        }
    }

    /// What the daemon writes before the name of a device; empty without a token.
    package var prefix: String { claims.map { $0.deviceID(of: "") } ?? "" }

    /// Opens a connection.
    func dial(
        _ address: String, as device: String, on loop: UVEventLoop,
        _ handler: @escaping (LinkEvent) -> Void
    ) -> any Link {
        guard token != nil else {
            return LineClient(
                loop: loop, address: address, device: device, tls: tls, handler: handler)
        }
        let names = DeviceNames(prefix: prefix)
        let client = LineClient(
            loop: loop, address: address, device: device, token: token, tls: tls
        ) { event in
            handler(names.given(in: event))
        }
        return NamedLink(client, names)
    }
}

/// A connection whose devices have the names that they were given.
private final class NamedLink: Link {
    private let link: any Link
    private let names: DeviceNames

    init(_ link: any Link, _ names: DeviceNames) {
        self.link = link
        self.names = names
    }

    func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (Result<Reply.Body, RequestFailure>) -> Void
    ) {
        link.request(request) { [names] result in then(result.map { names.given(in: $0) }) }
    }

    func close() { link.close() }

    func setReading(_ reads: Bool) { link.setReading(reads) }
}

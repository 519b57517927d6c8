/// The vendors that are served, each by its bridge.
package struct VendorTable: Sendable {
    /// The vendors of the contract; a further one is a file of its own and a line here.
    package static let standard = VendorTable([
        GeniusBridge(),
        SauceflexBridge(),
        LisaBridge(),
        SportradarBridge(),
        BambuserBridge(),
    ])

    private let bridges: [any Bridge]

    /// A table of these bridges; no two may have a vendor or a handler in common.
    package init(_ bridges: [any Bridge]) {
        let handlers = bridges.flatMap(\.traits.handlers)
        precondition(Set(handlers).count == handlers.count, "two vendors share a handler")
        precondition(
            Set(bridges.map(\.traits.vendor)).count == bridges.count, "a vendor is there twice")
        self.bridges = bridges
    }

    /// The same table with one more vendor.
    package func adding(_ bridge: any Bridge) -> VendorTable {
        VendorTable(bridges + [bridge])
    }

    /// The names of the vendors, in the table's order.
    package var names: [String] { bridges.map(\.traits.vendor.rawValue) }

    /// The names of all message handlers.
    package var handlers: Set<String> { Set(bridges.flatMap(\.traits.handlers)) }

    /// The bridge of a vendor; nil for one that is not served.
    package func bridge(of vendor: Vendor) -> (any Bridge)? {
        bridges.first { $0.traits.vendor == vendor }
    }

    /// The vendor whose page has a message handler of this name; nil for an unknown one.
    package func vendor(handling name: String) -> Vendor? {
        bridges.first { $0.traits.handlers.contains(name) }?.traits.vendor
    }
}

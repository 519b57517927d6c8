/// The vendors whose phones can be simulated, each with a script in a file of its own.
package enum SimulatedVendor: String, Sendable, Equatable, CaseIterable {
    case genius, sauceflex, lisa, sportradar, bambuser

    /// What its phones play.
    package var script: VendorScript {
        switch self {
        case .genius: .genius
        case .sauceflex: .sauceflex
        case .lisa: .lisa
        case .sportradar: .sportradar
        case .bambuser: .bambuser
        }
    }
}

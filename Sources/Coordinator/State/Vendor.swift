/// The name of a system whose player a session can coordinate (contract: domain, section 2).
///
/// Any name can be stored and read again; which of them are served is what ``VendorTable`` says.
package struct Vendor: RawRepresentable, Sendable, Hashable {
    /// The name in events, states and configurations.
    package let rawValue: String

    /// A vendor of this name, served or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

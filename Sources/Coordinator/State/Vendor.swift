/// The systems whose players a session can coordinate (contract: domain, section 2).
package enum Vendor: String, Sendable, Hashable, CaseIterable {
    case genius, sauceflex, lisa, sportradar, bambuser
}

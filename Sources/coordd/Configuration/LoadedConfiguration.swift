/// A valid configuration and where its values come from.
package struct LoadedConfiguration: Sendable, Equatable {
    /// The values.
    package var configuration: Configuration
    /// The origins of the keys that somebody set, by dotted name.
    package var origins: [String: ConfigurationOrigin]
    /// The path of the file; nil when there is none.
    package var file: String?

    /// Where the value of a key comes from.
    package func origin(of key: ConfigurationKey) -> ConfigurationOrigin {
        origins[key.name] ?? .standard
    }

    /// Why this configuration needs `--insecure`; nil when it does not.
    ///
    /// Without a key for tokens everybody who reaches the port may do everything, so the daemon listens
    /// on loopback only, with TLS or not (contract: protocol, Authentication).
    package var exposure: ConfigurationProblem? {
        let exposed = configuration.listenAddresses.first { !$0.address.isLoopback }
        guard let (key, address) = exposed, !configuration.auth.usesTokens else { return nil }
        return ConfigurationProblem(
            source: (origins[key] ?? .standard).source, key: key,
            message: "found \(address), which other machines can reach, and no authentication; "
                + "allowed: a loopback address, or any with auth.secret or auth.publicKey, or with "
                + "--insecure")
    }
}

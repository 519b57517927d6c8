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
}

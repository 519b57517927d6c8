/// Where the value of a key comes from; later cases win over earlier ones.
package enum ConfigurationOrigin: Sendable, Equatable, CustomStringConvertible {
    /// Nobody set it.
    case standard
    /// The configuration file at a path.
    case file(String)
    /// An environment variable.
    case environment(String)
    /// A flag of the command.
    case flag(String)

    /// The word in the output of `check-config`.
    package var description: String {
        switch self {
        case .standard: "default"
        case .file: "file"
        case .environment(let name): "environment \(name)"
        case .flag(let name): "flag \(name)"
        }
    }

    /// The place in a problem's line.
    var source: String {
        if case .file(let path) = self { return path }
        return description
    }
}

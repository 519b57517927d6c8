package import Actors

/// What `coordd serve` was told.
package struct ServeOptions: Sendable, Equatable {
    /// The path of the configuration file.
    package var config: String?
    /// In place of `listen`.
    package var listen: ListenAddress?
    /// In place of `data`.
    package var data: String?
    /// The file that gets `HOST:PORT` when clients are accepted.
    package var readyFile: String?
    /// Whether addresses beyond loopback are allowed without authentication.
    package var insecure = false
    /// In place of `log.level`.
    package var logLevel: LogLevel?

    /// Only defaults.
    package init() {}

    init(_ arguments: ParsedArguments) throws(UsageError) {
        config = try arguments.text("--config")
        listen = try arguments.address("--listen")
        data = try arguments.text("--data")
        readyFile = try arguments.text("--ready-file")
        insecure = arguments.has("--insecure")
        logLevel = try arguments.choice("--log-level", of: LogLevel.self)
    }

    /// The configuration's keys that the flags set.
    var overrides: [(key: String, text: String, flag: String)] {
        let all = [
            ("listen", listen?.description, "--listen"), ("data", data, "--data"),
            ("log.level", logLevel?.rawValue, "--log-level"),
        ]
        return all.compactMap { key, text, flag in text.map { (key, $0, flag) } }
    }
}

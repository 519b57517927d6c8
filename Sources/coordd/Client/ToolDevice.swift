import Glibc

/// The device ids of the tools.
enum ToolDevice {
    /// One device for all runs of `coordd send`: as player it then comes back to its own stage,
    /// where another device would have to wait until the grace is over (contract: domain, 4.7).
    static let sender = "coordd-send"

    /// A device of its own for each run of a tool, so that two of them do not replace each other.
    static func name(_ tool: String) -> String {
        "coordd-\(tool)-\(getpid())"
    }
}

extension ListenAddress {
    /// The address to connect to; `localhost` is 127.0.0.1 here as it is for listening.
    var numericAddress: String {
        host == "localhost" ? "127.0.0.1:\(port)" : description
    }
}

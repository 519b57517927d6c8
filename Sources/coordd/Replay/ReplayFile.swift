package import Coordinator

/// A transcript and what it is called in messages.
package struct ReplayFile: Sendable {
    /// The path, or "standard input".
    package var name: String
    /// What is played.
    package var transcript: Transcript

    /// Reads the bytes of the file called `name`.
    ///
    /// - Throws: every fault of every line.
    package init(name: String, bytes: [UInt8]) throws(TranscriptFaults) {
        self.name = name
        transcript = try Transcript(bytes)
    }

    /// The rules' numbers for this transcript: the configuration, and on top what it asks for.
    ///
    /// - Throws: everything that is wrong with either.
    package func policy(
        configuration file: String?, environment: [String: String] = [:], isRoot: Bool = false
    ) throws(ConfigurationProblems) -> Policy {
        let overlay = transcript.configuration.map { ($0.values, "\(name):\($0.line)") }
        let loaded = try ConfigurationLoader.load(
            file: file, environment: environment, overlay: overlay, isRoot: isRoot)
        return loaded.configuration.policy
    }
}

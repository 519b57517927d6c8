/// What a simulation counts while it disturbs connections and its daemon.
package struct ChaosCounts: Sendable, Equatable {
    /// Daemons that were killed and started again.
    package var kills = 0
    /// Daemons that died by themselves under a wrapper, and were started again.
    package var crashes = 0
    /// Connections that were dropped on purpose.
    package var drops = 0
    /// Readers that were delayed.
    package var delays = 0
    /// Events that were sent again with their id because the answer was lost.
    package var resentUnanswered = 0
    /// Events that were sent again with their id although they were acknowledged.
    package var resentAcknowledged = 0
    /// Acknowledged events that were sent again and had no answer that time.
    package var repeatsLost = 0
    /// Repeated events that the server knew.
    package var duplicates = 0
    /// Publications of the history that were compared with what was seen before.
    package var historyCompared = 0
    /// The most publications that came with one recovery.
    package var longestTail = 0
    /// From starting a daemon again until it accepts clients.
    package var restarts = LatencyHistogram()
    /// Broken promises, by kind.
    package var violations: [String: Int] = [:]

    /// Counts that are all zero.
    package init() {}
}

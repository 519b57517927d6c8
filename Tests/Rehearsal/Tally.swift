/// What happened in simulated worlds, counted.
package struct Tally: Sendable, Equatable {
    /// Random decisions: something that a client does, or that breaks.
    package var steps = 0
    /// Connections that clients began.
    package var connections = 0
    /// Connections that broke in any way while a client used them.
    package var drops = 0
    /// Daemons that died with what they had not written.
    package var crashes = 0
    /// Daemons that were told to stop.
    package var stops = 0
    /// Subscribers that asked to recover.
    package var resumes = 0
    /// Those that got what they had missed; the others got a snapshot.
    package var recoveries = 0
    /// Publications that subscribers got in a recovery.
    package var replayed = 0
    /// Revisions that became durable.
    package var revisions = 0
    /// Publications that clients took in.
    package var deliveries = 0
    /// Events that clients sent, those that were sent again included.
    package var events = 0
    /// Events that were sent again under their id.
    package var repeats = 0
    /// Answers that said so.
    package var duplicates = 0
    /// Events that were accepted.
    package var accepted = 0
    /// Events that were refused, for whatever reason.
    package var refused = 0
    /// Effects that stages got.
    package var effects = 0
    /// Bets that stages were told to place.
    package var bets = 0
    /// Transactions that failed.
    package var failures = 0
    /// Commits that died with the daemon.
    package var torn = 0
    /// Sessions that were read from what is on disk.
    package var loads = 0
    /// Snapshots that were written.
    package var snapshots = 0
    /// Readers that were cut off.
    package var slowReaders = 0
    /// States of the server that were compared with a fold.
    package var comparisons = 0

    /// Nothing yet.
    package init() {}

    /// Adds what happened in another world.
    package static func += (left: inout Tally, right: Tally) {
        for path in paths { left[keyPath: path] += right[keyPath: path] }
    }

    private static var paths: [WritableKeyPath<Tally, Int>] {
        [
            \.steps, \.connections, \.drops, \.crashes, \.stops, \.resumes, \.recoveries,
            \.replayed, \.revisions, \.deliveries, \.events, \.repeats, \.duplicates, \.accepted,
            \.refused, \.effects, \.bets, \.failures, \.torn, \.loads, \.snapshots, \.slowReaders,
            \.comparisons,
        ]
    }
}

package import Coordinator

/// Where sessions outlive their activation and their commits become durable.
///
/// A store is used on one loop only. Its answers come later, as events of that loop: a commit's
/// completion is an input of the session, never awaited.
package protocol Store: AnyObject {
    /// What it holds, counted as it changes.
    var holdings: StoreHoldings { get }

    /// What is worth watching.
    var condition: StoreCondition { get }

    /// Whether commits settle at the turn's end and cannot fail.
    var isVolatile: Bool { get }

    /// Whether one more session may be made under a limit of all; it is made then, or abandoned.
    func takesSession(_ session: SessionID, under limit: Int) -> Bool

    /// Makes a change durable and reports it to the observer.
    ///
    /// Commits of one session settle in the order they were appended. When one fails, those of the
    /// session that were appended after it and before its failure was reported fail too.
    func append(_ commit: Commit, for session: SessionID)

    /// Writes an active session as a whole, as of its commits that were reported so far.
    func snapshot(_ stored: StoredSession, of session: SessionID)

    /// The number of an active session's newest durable commit, in the store's own count.
    func newestCommit(of session: SessionID) -> Int64?

    /// The same as of the commit of a number, when more may have been reported meanwhile.
    func snapshot(_ stored: StoredSession, of session: SessionID, through number: Int64)

    /// Finds what is known of a session that is not active.
    func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void)

    /// Takes a session back that has no commit under way and no activation any more.
    func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant)

    /// Forgets a session that was made and never became durable.
    func abandon(_ session: SessionID)

    /// Counts the sessions that a user made, up to `limit`; nil when that cannot be read.
    ///
    /// Those are among them whose creation was asked for before, and has not failed.
    func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void)

    /// Finds the ids of the sessions after `start` in order of their bytes, `limit` at most; nil when
    /// they cannot be read.
    ///
    /// Those may be missing that are not durable yet, and those be there that are just being deleted.
    func ids(after start: String, limit: Int, _ completion: @escaping ([String]?) -> Void)

    /// Looks up what lists say of sessions without activation; nil when that cannot be read.
    ///
    /// Those that are not there any more are left out.
    func outlines(
        of sessions: [SessionID], _ completion: @escaping ([SessionOutline]?) -> Void)

    /// Whether a session with an activation is on disk, however old.
    func holds(_ session: SessionID) -> Bool

    /// The tokens that were taken back before the start, in no order.
    var revocations: [Revocation] { get }

    /// Keeps a revocation; `completion` hears nil when it is durable, or why it is not kept.
    func revoke(_ revocation: Revocation, _ completion: @escaping (String?) -> Void)

    /// Calls `observer` for every commit that settled.
    func observe(_ observer: @escaping (Settlement) -> Void)

    /// Calls `observer` with the reason each time that the disk has not answered for too long.
    func observeStalls(_ observer: @escaping (String) -> Void)

    /// Calls `observer` when its condition or what it holds may be others.
    func observeCondition(_ observer: @escaping () -> Void)
}

extension Store {
    /// Nothing is.
    package var condition: StoreCondition { StoreCondition() }

    /// It has none.
    package func newestCommit(of session: SessionID) -> Int64? { nil }

    /// It keeps none that could be too old.
    package func snapshot(_ stored: StoredSession, of session: SessionID, through number: Int64) {
        snapshot(stored, of: session)
    }

    /// They wait for something.
    package var isVolatile: Bool { false }

    /// Whether there is room for one more.
    package func takesSession(_ session: SessionID, under limit: Int) -> Bool { count < limit }

    /// One without a disk keeps none beyond its own end.
    package var revocations: [Revocation] { [] }

    /// Its end is the end of what was revoked, too.
    package func revoke(_ revocation: Revocation, _ completion: @escaping (String?) -> Void) {
        completion(nil)
    }

    /// It always answers.
    package func observeStalls(_ observer: @escaping (String) -> Void) {}

    /// Its condition never changes.
    package func observeCondition(_ observer: @escaping () -> Void) {}

    /// It makes no lists.
    package func ids(
        after start: String, limit: Int, _ completion: @escaping ([String]?) -> Void
    ) {
        completion(nil)
    }

    /// It makes no lists.
    package func outlines(
        of sessions: [SessionID], _ completion: @escaping ([SessionOutline]?) -> Void
    ) {
        completion(nil)
    }

    /// All are.
    package func holds(_ session: SessionID) -> Bool { true }

    /// Sessions that exist, active ones and remembered placements of deleted ones included.
    package var count: Int { holdings.sessions + holdings.remembered }
}

/// What a store holds.
package struct StoreHoldings: Sendable, Equatable {
    /// Sessions that exist, active ones included.
    package var sessions: Int
    /// Deleted sessions whose placements are remembered.
    package var remembered: Int
    /// Sessions that were found damaged and are set aside; they are among the first ones.
    package var setAside: Int

    /// So many of each.
    package init(sessions: Int = 0, remembered: Int = 0, setAside: Int = 0) {
        self.sessions = sessions
        self.remembered = remembered
        self.setAside = setAside
    }
}

/// What a store knows of a session that is not active.
package enum LoadedSession: Sendable {
    /// The session.
    case stored(StoredSession)
    /// There is none; these placements of a deleted one of this id are still remembered.
    case absent(placements: [PlacementRecord])
    /// What is stored of it is not as it was written; this is wrong.
    case damaged(String)
    /// The store could not read, for this reason.
    case failed(String)
}

/// How a commit ended.
package enum Settlement: Sendable, Equatable {
    /// All commits of the session up to this number are durable.
    case committed(SessionID, through: UInt64)
    /// This commit failed and with it all later ones of the session; all earlier ones are durable,
    /// whether that was reported or not.
    case failed(SessionID, from: UInt64, reason: String)
    /// A snapshot was not written; the commits it would have replaced are kept.
    case snapshotFailed(SessionID)
}

internal import Coordinator

/// A session that is active, or on its way back to the tables.
struct StorePlace {
    /// `number` is that of the newest commit asked for.
    var slot: StoreSlot
    /// The number of the newest commit known to be durable.
    var durable: Int64
    /// Why a commit was refused, while the session does not know yet.
    var refusal: String?
    /// Commits under way that were taken although the queue was full.
    var beyond = 0
    /// The session's number, in this activation, of the newest commit asked for.
    var newest: UInt64 = 0
    /// Commits up to this one failed together with one that was reported.
    var failedThrough: UInt64 = 0
    var isDeleting = false
    /// The user who made it, as long as it is not in the tables; empty: nobody with a name.
    var owner = ""
}

/// A session on its way to the tables, which can be had back meanwhile.
struct ParkedSession {
    var stored: StoredSession
    var place: StorePlace
    var ticket: UInt64
    /// Whether the writer has it; otherwise it is tried again later.
    var isPosted = true
}

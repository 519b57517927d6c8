internal import Coordinator

/// How many sessions there may be (contract: protocol, configuration `limits`).
struct SessionCaps {
    /// In all.
    var sessions: Int
    /// Of one user; 0: as many as there may be in all.
    var perUser: Int
}

/// New sessions of users whose number of sessions is being counted.
struct OwnerApplications {
    /// A session that somebody wants to be made.
    struct Application {
        var session: SessionID
        var placements: [PlacementRecord]

        init(session: SessionID, _ placements: [PlacementRecord]) {
            self.session = session
            self.placements = placements
        }
    }

    private var waiting: [String: [Application]] = [:]

    /// Adds one; gives whether the user's sessions have to be counted for it.
    mutating func add(_ application: Application, of owner: String) -> Bool {
        waiting[owner, default: []].append(application)
        return waiting[owner]?.count == 1
    }

    /// Takes out those of a user, in the order they came.
    mutating func take(of owner: String) -> [Application] {
        waiting.removeValue(forKey: owner) ?? []
    }
}

extension SessionCall {
    /// Whether it may make the session.
    var isSubscribe: Bool { if case .subscribe = self { true } else { false } }
}

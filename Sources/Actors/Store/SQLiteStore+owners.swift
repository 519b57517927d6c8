internal import Coordinator

/// Who wants to know how many sessions a user has.
struct OwnedQuestion {
    var user: String
    var limit: Int
    var completion: (Int?) -> Void
}

extension SQLiteStore {
    package func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        guard stall == nil else { return completion(nil) }
        lastQuestion += 1
        questions[lastQuestion] = OwnedQuestion(user: user, limit: limit, completion: completion)
        post(.countOwned(lastQuestion, user: user, limit: limit))
    }

    /// Adds those that the tables do not have yet: with durability `memory`, all active ones.
    func answer(_ question: UInt64, _ count: Int?) {
        guard let asked = questions.removeValue(forKey: question) else { return }
        asked.completion(
            count.map { min($0 + unwrittenOwners[asked.user, default: 0], asked.limit) })
    }
}

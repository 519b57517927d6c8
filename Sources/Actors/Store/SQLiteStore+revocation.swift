package import Coordinator

extension SQLiteStore {
    package func revoke(
        _ revocation: Revocation, _ completion: @escaping (String?) -> Void
    ) {
        if let stall { return completion(stall) }
        lastRevocation += 1
        revoking[lastRevocation] = completion
        post(.revoke(lastRevocation, revocation))
    }

    /// A revocation is on disk, or is not for this reason.
    func revoked(_ number: UInt64, _ reason: String?) {
        revoking.removeValue(forKey: number)?(reason)
    }
}

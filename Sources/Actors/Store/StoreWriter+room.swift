internal import Coordinator

/// What the writer does for want of room.
extension StoreWriter {
    /// Runs a transaction; gives up the ballast and runs it again when there is no room for it.
    func makingRoom<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            tables.rollbackTransaction()
            guard error.isFull, space.releaseBallast() else { throw error }
        }
        do throws(SQLiteError) {
            return try body()
        } catch {
            tables.rollbackTransaction()
            throw error
        }
    }

    /// Writes everything in one transaction, which nothing is left of when it fails.
    func writeMakingRoom(
        _ operations: [StoreOperation]
    ) throws(SQLiteError) -> [StoreReport.Outcome] {
        let write = { () throws(SQLiteError) in
            do throws(SQLiteError) {
                return try self.write(operations)
            } catch {
                self.forget()
                throw error
            }
        }
        // What makes room is worth the ballast; while clients may ask for changes it gets it alone.
        guard operations.contains(where: \.frees),
            space.isShort || !operations.contains(where: \.grows)
        else { return try write() }
        return try makingRoom(write)
    }

    /// Takes back the transaction that failed.
    private func forget() {
        tables.rollbackTransaction()
        guard isCommitting else { return }
        // Should it fail too, the next transaction does the same.
        try? tables.overwriteFailed(generation + 1)
        tables.rollbackTransaction()
        isCommitting = false
    }
}

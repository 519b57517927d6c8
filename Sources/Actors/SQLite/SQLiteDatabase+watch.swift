internal import CSQLite

/// What SQLite asks now and then during a long statement.
final class SQLiteWatch {
    let isStopped: () -> Bool

    init(_ isStopped: @escaping () -> Bool) {
        self.isStopped = isStopped
    }
}

extension SQLiteDatabase {
    /// Runs `body`, and has a statement in it end with an error once `isStopped` says so.
    package func watched<Result>(
        _ isStopped: @escaping () -> Bool, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let watch = SQLiteWatch(isStopped)
        // Alive until the handler is taken back.
        let context = unsafe Unmanaged.passUnretained(watch).toOpaque()
        unsafe sqlite3_progress_handler(
            handle, 10_000,
            { context in
                guard let context = unsafe context else { return 0 }
                let watch = unsafe Unmanaged<SQLiteWatch>.fromOpaque(context)
                    .takeUnretainedValue()
                return watch.isStopped() ? 1 : 0
            }, context)
        defer {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(watch) {}
        }
        return try body()
    }
}

extension SQLiteError {
    /// Whether a watch ended it.
    package var isInterrupt: Bool { code & 0xff == SQLITE_INTERRUPT }
}

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
    package func watched<Result, Failure: Error>(
        _ isStopped: @escaping () -> Bool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let watch = SQLiteWatch(isStopped)
        // Alive until the handler is taken back.
        let context = unsafe Unmanaged.passUnretained(watch).toOpaque()
        unsafe sqlite3_progress_handler(
            handle, Int32(Self.watchedSteps),
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

    /// Steps of a statement between two questions.
    private static let watchedSteps = 10_000
    /// Steps that all statements of a walk may take, and how many more for each page: some times what
    /// the rows of a full page need.
    private static let walkSteps = (least: 2_000_000, page: 50_000)

    /// Runs `body`, and has a statement in it end with an error when all of them together take many
    /// more steps than a file of `pages` has reason for, or once `isStopped` says so.
    ///
    /// Pages that are damaged may lead in circles, and SQLite follows them for years.
    package func walking<Result, Failure: Error>(
        _ pages: Int64, orUntil isStopped: @escaping () -> Bool = { false },
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var questions =
            (Self.walkSteps.least + Int(pages) * Self.walkSteps.page) / Self.watchedSteps
        return try watched(
            {
                questions -= 1
                return questions < 0 || isStopped()
            }, body)
    }
}

extension SQLiteError {
    /// Whether a watch ended it.
    package var isInterrupt: Bool { code & 0xff == SQLITE_INTERRUPT }
}

import Actors
import Glibc
import Testing

@Suite struct SQLiteErrorTests {
    private static func error(_ code: Int32, _ system: Int32 = 0) -> SQLiteError {
        SQLiteError(code: code, action: "write", message: "no", systemError: system)
    }

    // SQLITE_FULL, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_CANTOPEN.
    @Test(
        arguments: [
            (13, 0), (4874, 0), (778, ENOSPC), (778, EDQUOT), (778, EFBIG), (1034, ENOSPC),
            (14, ENOSPC),
        ] as [(Int32, Int32)])
    func `want of room is told from other failures`(code: Int32, system: Int32) {
        #expect(Self.error(code, system).isFull)
        #expect(Self.error(code, system).refusal == "store.full: no (SQLite \(code))")
    }

    // SQLITE_IOERR_WRITE of a broken disk, SQLITE_READONLY, SQLITE_CORRUPT and SQLITE_BUSY, whatever
    // the system failed at last; SQLITE_IOERR_SHORT_READ, where the system did not fail.
    @Test(
        arguments: [(778, EIO), (8, ENOSPC), (11, ENOSPC), (5, 0), (522, ENOSPC)]
            as [(Int32, Int32)])
    func `other failures are none of room`(code: Int32, system: Int32) {
        #expect(!Self.error(code, system).isFull)
        #expect(Self.error(code, system).refusal == "store.failing: no (SQLite \(code))")
    }
}

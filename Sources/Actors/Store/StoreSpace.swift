/// Watches over the room that the store needs; used by one thread at a time.
///
/// Below the mark clients are refused what needs room, so that deletions and the sessions' own events
/// still have it. The ballast is given up when even these fail, and made again before clients are
/// served again.
final class StoreSpace {
    /// What was found at the last look.
    struct Reading: Sendable, Equatable {
        /// Free bytes; nil when unknown.
        var free: Int64?
        /// Why clients are refused what needs room; nil when there is enough.
        var shortage: String?
    }

    private(set) var reading = Reading()
    private let folder: String
    private let limits: StoreLimits
    private let ballast: Ballast
    private var hasBallast: Bool
    /// When making the ballast failed although there seemed to be room.
    private var failedAt: ContinuousClock.Instant?
    /// What an operator should know of the start.
    private(set) var findings: [StoreFinding] = []

    /// The time between two tries to make the ballast.
    private static let pause = Duration.seconds(60)

    init(folder: String, limits: StoreLimits) {
        self.folder = folder
        self.limits = limits
        ballast = Ballast(in: folder, size: limits.ballastBytes ?? 0)
        if limits.ballastBytes == 0 { ballast.release() }
        hasBallast = ballast.size == 0 || ballast.isWhole
    }

    /// Whether clients are refused what needs room.
    var isShort: Bool { reading.shortage != nil }

    /// Looks how much is free, and makes the ballast again when there is room for it.
    func look() {
        // Who does not say how much is free has room until a write fails.
        guard var free = limits.freeBytes(folder) else { return reading = Reading() }
        // A little more than the mark, so that it does not go to and fro.
        let mark = limits.minimumFreeBytes + (isShort ? limits.minimumFreeBytes / 8 : 0)
        if !hasBallast, free - ballast.size >= mark, makeBallast() {
            free = limits.freeBytes(folder) ?? free
        }
        let needed = mark + (hasBallast ? 0 : ballast.size)
        reading = Reading(free: free, shortage: free < needed ? shortage(free) : nil)
    }

    /// Opens the store, then looks; gives up the ballast and tries again when there is no room for that.
    func open(_ body: () throws(StoreFault) -> OpenedStore) throws(StoreFault) -> OpenedStore {
        do throws(StoreFault) {
            let opened = try body()
            look()
            return opened
        } catch {
            guard error.isFull, releaseBallast() else { throw error }
        }
        let opened = try body()
        look()
        find("the disk is full: \(ballast.path) was given up to open the store")
        return opened
    }

    private func find(_ text: String) {
        findings.append(StoreFinding(isDamage: false, text: text))
    }

    /// Whether a file can grow by so many bytes; gives up the ballast when that is what it takes.
    func canGrow(by bytes: Int) -> Bool {
        guard let free = limits.freeBytes(folder) else { return true }
        if free >= bytes { return true }
        guard free + ballast.size >= bytes else { return false }
        return releaseBallast()
    }

    /// Makes the ballast again, before all others get room, when there is enough for it and a little.
    func regainBallast() {
        guard !hasBallast, let free = limits.freeBytes(folder),
            free - ballast.size >= limits.minimumFreeBytes / 8
        else { return }
        _ = makeBallast()
    }

    /// Gives up the ballast; false when there is none.
    func releaseBallast() -> Bool {
        guard ballast.size > 0, ballast.release() else { return false }
        hasBallast = false
        return true
    }

    private func makeBallast() -> Bool {
        let now = ContinuousClock.now
        if let failedAt, now - failedAt < Self.pause { return false }
        do throws(SystemFault) {
            try ballast.make()
            hasBallast = true
            failedAt = nil
        } catch {
            failedAt = now
            find("there is no ballast, and without it no start on a full disk: \(error)")
        }
        return hasBallast
    }

    private func shortage(_ free: Int64) -> String {
        var text =
            "store.full: \(free) bytes are free on the data folder's disk, and "
            + "\(limits.minimumFreeBytes) must stay free (store.minimumFreeBytes)"
        if !hasBallast { text += ", and the ballast of \(ballast.size) bytes is missing" }
        return text
    }
}

import Actors
import TestSupport

/// A connection over the simulated network: the server's stream at one end, a device at the other.
///
/// Bytes arrive later, in order, cut anywhere. Each end learns of the other's end late or never.
final class Connection: ByteStream {
    /// How a device's way to the daemon can end.
    enum Cut: CaseIterable {
        /// The device says so, after what it sent.
        case closed
        /// Both ends are told that it broke; some of what was under way is lost.
        case reset
        /// The device is gone; what it sent may still arrive, the server is not told.
        case halfOpen
        /// The server is told that it broke, the device is not.
        case forgotten
    }

    let number: Int
    private unowned let world: World
    private unowned let life: Life
    private weak var device: Device?
    private var random: SplitMix

    // Towards the server.
    private var upstream: [UInt8] = []
    private var isUpPlanned = false
    private var onRead: ((borrowing UVStream.ReadEvent) -> Void)?
    /// Whether the end of what the device sends follows on its last byte.
    private var isUpEnding = false

    // Towards the device.
    private var downstream: [UInt8] = []
    private var isDownPlanned = false
    private var isDownEnding = false
    private var waiting: (bytes: [UInt8], from: Int, completion: (UVError?) -> Void)?
    /// Bytes that the two kernels take between them.
    private let window: Int
    /// Bytes that the device reads at a time; nil: any number.
    private let appetite: Int?

    /// Whether the server has not closed it.
    private(set) var isServing = true
    /// Whether the server's end would be told that the connection is broken.
    private var isBroken = false
    /// Whether the daemon it led to is dead.
    private var isOrphan = false
    /// Whether it may be slow to bring what was sent last.
    private var isLate = false
    /// Whether nothing reaches the device any more, not even that it is over.
    private var isCutOff = false

    let peerAddress: SocketAddress? = nil

    init(number: Int, device: Device, life: Life, world: World) {
        self.number = number
        self.device = device
        self.life = life
        self.world = world
        random = SplitMix(seed: world.random.next())
        let isSlow = !world.isCalm && world.chance(world.weather.slowReaders)
        window = isSlow ? 2048 : [4096, 65_536][Int(random.next() % 2)]
        appetite = isSlow ? [0, 64, 700][Int(random.next() % 3)] : nil
    }

    /// Whether it holds nothing that anybody waits for.
    var isDone: Bool { !isServing && device == nil && waiting == nil }

    private func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    private var delay: Int64 {
        let slack: Int64 = appetite == nil ? 0 : number(50...400)
        return slack + number(0...world.weather.latency)
    }

    private func part(of count: Int, upTo limit: Int? = nil) -> Int {
        let most = min(count, limit ?? count)
        return number(0...3) > 0 ? most : Int(number(1...Int64(most)))
    }
}

// MARK: - The device's end

extension Connection {
    func send(_ bytes: [UInt8]) {
        guard device != nil else { return }
        upstream += bytes
        planUp()
    }

    /// The device turns away; it hears nothing of this connection any more.
    func leave(_ cut: Cut) {
        guard device != nil else { return }
        device = nil
        switch cut {
        case .closed:
            isUpEnding = true
            planUp()
        case .reset:
            upstream.removeLast(upstream.count - Int(number(0...Int64(upstream.count))))
            isBroken = true
            planUp()
        case .halfOpen:
            // What is under way comes late, and whole, in part, or not at all.
            isLate = number(0...99) < Int64(world.weather.lateFrames)
            if !isLate {
                upstream.removeLast(upstream.count - Int(number(0...Int64(upstream.count))))
            }
            if isLate { planUp() }
        case .forgotten: breakDown()
        }
    }

    /// The server's end breaks, and the device is not told.
    func breakDown() {
        isCutOff = true
        isBroken = true
        planUp()
    }

    private func planUp() {
        guard !isUpPlanned, !isOrphan || device != nil else { return }
        isUpPlanned = true
        world.after(isLate ? number(500...5000) : delay) { [self] in deliverUp() }
    }

    private func deliverUp() {
        isUpPlanned = false
        guard !isOrphan, isServing else { return hangUp() }
        guard let onRead else { return }
        if isBroken, upstream.isEmpty || number(0...1) == 0 {
            upstream = []
            self.onRead = nil
            onRead(.failed(UVError(code: -104, call: "read")))
            return
        }
        if !upstream.isEmpty {
            let count = part(of: upstream.count)
            let bytes = Array(upstream[..<count])
            upstream.removeFirst(count)
            onRead(.bytes(bytes.span))
        } else if isUpEnding {
            isUpEnding = false
            onRead(.end)
        }
        if !upstream.isEmpty || isUpEnding || isBroken { planUp() }
    }

    /// Nobody is there who would read: the device is told, sooner or later.
    private func hangUp() {
        upstream = []
        guard !isCutOff else { return }
        device?.lost(self)
        device = nil
    }
}

// MARK: - The server's end

extension Connection {
    func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void) {
        guard isServing else { return }
        self.onRead = onRead
        if !upstream.isEmpty || isUpEnding || isBroken { planUp() }
    }

    func stopReading() {
        onRead = nil
    }

    func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        guard isServing else { throw UVError(code: -125, call: "write") }
        guard !isBroken || number(0...1) == 0 else { throw UVError(code: -32, call: "write") }
        guard waiting == nil else { return 0 }
        let count = min(bytes.count, window - downstream.count)
        for index in 0..<count { downstream.append(bytes[index]) }
        planDown()
        return count
    }

    func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void
    ) {
        guard isServing, waiting == nil else {
            return life.loop.atTurnEnd { completion(UVError(code: -125, call: "write")) }
        }
        world.demand(
            bytes.count - start <= world.weather.server.outboundBytes,
            "\(bytes.count - start) bytes wait for one reader")
        waiting = (bytes, start, completion)
        planDown()
    }

    func shutdown(_ completion: @escaping (UVError?) -> Void) {
        guard isServing else {
            return life.loop.atTurnEnd { completion(UVError(code: -125, call: "shutdown")) }
        }
        isDownEnding = true
        planDown()
        life.loop.atTurnEnd { completion(nil) }
    }

    func close(_ onClosed: (() -> Void)?) {
        end()
        isDownEnding = true
        planDown()
        if let onClosed { life.loop.atTurnEnd(onClosed) }
    }

    func reset(_ onClosed: (() -> Void)?) {
        if isServing { world.tally.slowReaders += 1 }
        end()
        downstream.removeLast(downstream.count - Int(number(0...Int64(downstream.count))))
        isDownEnding = true
        planDown()
        if let onClosed { life.loop.atTurnEnd(onClosed) }
    }

    private func end() {
        isServing = false
        onRead = nil
        guard let completion = waiting.take()?.completion else { return }
        life.loop.atTurnEnd { completion(UVError(code: -125, call: "write")) }
    }

    /// The daemon is gone: some of what its kernel had still arrives.
    func daemonDied() {
        isOrphan = true
        isServing = false
        onRead = nil
        waiting = nil
        upstream = []
        let isTold = number(0...1) == 0
        if isTold {
            downstream.removeLast(downstream.count - Int(number(0...Int64(downstream.count))))
        }
        isDownEnding = isTold
        planDown()
    }

    private func planDown() {
        // Where nobody answers, what is there stays there until the server gives up.
        guard !isDownPlanned, !isCutOff, device != nil,
            !downstream.isEmpty || isDownEnding || waiting != nil
        else { return }
        // One that never reads again.
        if appetite == 0, !isDownEnding { return }
        isDownPlanned = true
        world.after(delay) { [self] in deliverDown() }
    }

    private func deliverDown() {
        isDownPlanned = false
        guard let device, !isCutOff else { return }
        if !downstream.isEmpty {
            let count = part(of: downstream.count, upTo: appetite == 0 ? nil : appetite)
            let bytes = Array(downstream[..<count])
            downstream.removeFirst(count)
            device.received(bytes, over: self)
        }
        if let (bytes, start, completion) = waiting {
            let count = min(bytes.count - start, window - downstream.count)
            downstream += bytes[start..<(start + count)]
            if start + count == bytes.count {
                waiting = nil
                completion(nil)
            } else {
                waiting?.from = start + count
            }
        }
        if downstream.isEmpty, isDownEnding {
            self.device?.lost(self)
            self.device = nil
            // Its side ends too.
            isUpEnding = true
            planUp()
        }
        planDown()
    }
}

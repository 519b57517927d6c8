import Actors
import TLS
import TestSupport
import Testing

/// A stream under TLS over one that takes as much as a test wants.
@Suite struct TLSStreamTests {
    /// The server's stream, the client's engine, and what each got.
    private final class Bench {
        let loop = ManualEventLoop()
        let below = ScriptedStream()
        let stream: TLSStream
        let client: TLSEngine
        var got: [UInt8] = []
        var ends = 0
        var failures: [UVError] = []
        var reports: [TLSStream.Report] = []
        var clientGot: [UInt8] = []
        /// What to do when bytes arrive.
        var onBytes: (Bench) -> Void = { _ in }

        init() throws {
            let context = try TLSContext(
                certificate: Array(TestCertificates.chain.utf8),
                key: Array(TestCertificates.key.utf8))
            client = try TLSEngine(
                client: RawClient.trust(), expecting: "localhost", buffers: TLSBuffers())
            var report: (TLSStream.Report) -> Void = { _ in }
            stream = TLSStream(over: below, on: loop, report: { report($0) }) {
                () throws(TLSFault) in
                try TLSEngine(server: context, buffers: TLSBuffers())
            }
            report = { [unowned self] in reports.append($0) }
        }

        func read() {
            stream.startReading { [unowned self] event in
                switch event {
                case .bytes(let bytes):
                    got += [UInt8](copying: bytes)
                    onBytes(self)
                case .end: ends += 1
                case .failed(let error): failures.append(error)
                }
            }
        }

        /// Reads, and has the handshake done.
        func open() throws {
            read()
            while client.phase == .handshaking { try turn() }
            try turn()
            #expect(reports == [.established(.tls13, isResumed: false)])
        }

        /// Hands over what each side says.
        func turn() throws {
            let words = client.buffers.takeOutput()
            if !words.isEmpty { below.arrive(words) }
            loop.run()
            try hear()
        }

        /// Lets the client decrypt what was taken.
        func hear() throws {
            let bytes = below.takeAll()
            var position = 0
            while true {
                switch try client.next(in: bytes.span, at: &position) {
                case .needsMore: return
                case .plaintext(let count): clientGot += client.buffers.plaintext[..<count]
                case .established, .end: break
                }
            }
        }

        func say(_ text: String) throws -> [UInt8] {
            try client.encrypt(Array(text.utf8).span)
            return client.buffers.takeOutput()
        }
    }

    private let message = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test func `what fits is written at once`() throws {
        let bench = try Bench()
        try bench.open()
        let written = try bench.stream.tryWrite(message.span)
        #expect(written == message.count)
        try bench.hear()
        #expect(bench.clientGot == message)
    }

    @Test(arguments: [0, 1, 1000, 20_000, 70_000, 200_000])
    func `what does not fit counts as written when all its ciphertext was taken`(room: Int) throws {
        let bench = try Bench()
        try bench.open()
        bench.below.room = room
        let written = try bench.stream.tryWrite(message.span)
        // Whole batches only.
        #expect(written == room / (TLSStream.batchBytes + 88) * TLSStream.batchBytes)
        #expect(written <= room)
        // Nothing more is taken while something waits.
        let rest = Array(message[written...])
        let more = try bench.stream.tryWrite(rest.span)
        #expect(more == 0)
        var outcomes: [UVError?] = []
        bench.stream.write(message, from: written) { outcomes.append($0) }
        bench.loop.run()
        #expect(outcomes.isEmpty)
        var rounds = 0
        while outcomes.isEmpty, rounds < 100 {
            bench.below.give(room: 10_000)
            bench.loop.run()
            rounds += 1
        }
        #expect(outcomes == [nil])
        try bench.hear()
        #expect(bench.clientGot == message)
    }

    @Test func `who goes on by trying again loses and repeats nothing`() throws {
        let bench = try Bench()
        try bench.open()
        bench.below.room = 5000
        var written = 0
        var rounds = 0
        while written < message.count, rounds < 1000 {
            let rest = Array(message[written...])
            written += try bench.stream.tryWrite(rest.span)
            bench.below.give(room: 5000)
            rounds += 1
        }
        bench.below.give(room: 1_000_000)
        try bench.hear()
        #expect(bench.clientGot == message)
    }

    @Test func `the end is said behind everything that was written`() throws {
        let bench = try Bench()
        try bench.open()
        bench.below.room = 0
        var order: [String] = []
        bench.stream.write(message, from: 0) { order.append("write \($0 == nil)") }
        bench.stream.shutdown { order.append("shutdown \($0 == nil)") }
        bench.loop.run()
        #expect(!bench.client.hasEnded)
        bench.below.give(room: 1_000_000)
        bench.loop.run()
        bench.below.give(room: 1)
        #expect(order == ["write true", "shutdown true"])
        try bench.hear()
        #expect(bench.clientGot == message)
        #expect(bench.client.hasEnded)
        #expect(bench.below.isShut)
        #expect(throws: UVError.self) { try bench.stream.tryWrite([1].span) }
        // An end without close_notify is an end now.
        bench.below.arriveEnd()
        #expect(bench.ends == 1)
        #expect(bench.failures.isEmpty)
    }

    @Test func `a close fails what waits, once and not within the call`() throws {
        let bench = try Bench()
        try bench.open()
        bench.below.room = 100
        let written = try bench.stream.tryWrite(message.span)
        var outcomes: [Bool] = []
        bench.stream.write(message, from: written) { outcomes.append($0 == nil) }
        bench.stream.write([1], from: 0) { outcomes.append($0 == nil) }
        bench.stream.close(nil)
        bench.loop.run()
        #expect(outcomes == [false, false])
        #expect(bench.below.isClosed)
        bench.stream.write([1], from: 0) { outcomes.append($0 == nil) }
        #expect(outcomes.count == 2)
        bench.loop.run()
        #expect(outcomes == [false, false, false])
    }

    @Test func `nothing is written before the handshake is done`() throws {
        let bench = try Bench()
        #expect(throws: UVError.self) { try bench.stream.tryWrite([1].span) }
        bench.read()
        #expect(throws: UVError.self) { try bench.stream.tryWrite([1].span) }
        bench.stream.close(nil)
        guard case .failed(.unfinished, _) = bench.reports.first else {
            Issue.record("\(bench.reports)")
            return
        }
        #expect(bench.below.taken.isEmpty)
    }

    @Test func `a stream that nobody has read says nothing and reports nothing`() throws {
        let bench = try Bench()
        bench.stream.close(nil)
        #expect(bench.reports.isEmpty)
        #expect(bench.below.taken.isEmpty)
    }

    @Test func `what is not read is kept, and read on later in order`() throws {
        let bench = try Bench()
        try bench.open()
        bench.onBytes = { $0.stream.stopReading() }
        let words = try bench.say("a") + bench.say("b") + bench.say("c")
        bench.below.arrive(words)
        #expect(bench.got == Array("a".utf8))
        #expect(!bench.below.isReading)
        for wanted in ["ab", "abc"] {
            bench.read()
            // Not within the call.
            #expect(bench.got.count == wanted.utf8.count - 1)
            bench.loop.run()
            #expect(bench.got == Array(wanted.utf8))
        }
        bench.read()
        bench.loop.run()
        #expect(bench.below.isReading)
        bench.below.arrive(try bench.say("d"))
        #expect(bench.got == Array("abcd".utf8))
    }

    @Test func `a stream that is closed while it reads says no more`() throws {
        let bench = try Bench()
        try bench.open()
        bench.onBytes = { $0.stream.close(nil) }
        bench.below.arrive(try bench.say("a") + bench.say("b"))
        #expect(bench.got == Array("a".utf8))
        try bench.hear()
        #expect(bench.client.hasEnded)
    }

    @Test func `the client's end is told once, and again to who reads again`() throws {
        let bench = try Bench()
        try bench.open()
        bench.client.sayEnd()
        bench.below.arrive(bench.client.buffers.takeOutput())
        #expect(bench.ends == 1)
        #expect(!bench.below.isReading)
        let owed = Array("owed".utf8)
        let written = try bench.stream.tryWrite(owed.span)
        #expect(written == 4)
        try bench.hear()
        #expect(bench.clientGot == Array("owed".utf8))
        bench.read()
        bench.loop.run()
        #expect(bench.ends == 2)
    }

    @Test func `an end without close_notify is a failure`() throws {
        let bench = try Bench()
        try bench.open()
        bench.below.arriveEnd()
        #expect(bench.ends == 0)
        #expect(bench.failures.map(\.name) == ["EPROTO"])
        guard case .failed(.truncated, _) = bench.reports.last else {
            Issue.record("\(bench.reports)")
            return
        }
    }

    @Test func `a client that makes TLS speak and does not read is cut off`() throws {
        let bench = try Bench()
        try bench.open()
        bench.below.room = 0
        var rounds = 0
        while bench.failures.isEmpty, rounds < 10_000 {
            bench.client.renewKeys()
            let words = bench.client.buffers.takeOutput()
            bench.below.arrive(words)
            rounds += 1
        }
        guard case .failed(.flood, _) = bench.reports.last else {
            Issue.record("after \(rounds): \(bench.reports)")
            return
        }
        #expect(bench.failures.count == 1)
    }

    @Test func `changed bytes are answered by an alert and told as a failure`() throws {
        let bench = try Bench()
        try bench.open()
        var words = try bench.say("a")
        words[words.count - 1] ^= 1
        bench.below.arrive(words)
        #expect(bench.got.isEmpty)
        #expect(bench.failures.count == 1)
        guard case .failed(.broken, _) = bench.reports.last else {
            Issue.record("\(bench.reports)")
            return
        }
        // bad_record_mac.
        #expect(throws: TLSFault.alert(20)) { try bench.hear() }
    }
}

import Coordinator
import TestSupport

/// One of many devices that send to a session and follow it, checking what it sees line by line.
final class ConcurrencyDevice {
    /// What a device saw, for the test to judge.
    struct Report: Sendable {
        var snapshotRevision: UInt64
        var snapshot: JSON
        /// Revisions that its own events got, in the order sent.
        var answers: [UInt64] = []
        /// What was not as it must be.
        var faults: [String] = []
    }

    private let client: RawClient
    private let name: String
    private let ledger: PublicationLedger
    private(set) var report: Report
    private(set) var revision: UInt64
    private var sent = 0

    init(port: UInt16, name: String, ledger: PublicationLedger) throws {
        client = try RawClient(port: port, device: name)
        self.name = name
        self.ledger = ledger
        let folded = try FoldedMirror(subscribed: client.subscribe("a").result)
        report = Report(snapshotRevision: folded.revision, snapshot: folded.state)
        revision = folded.revision
    }

    /// Sends an event that is a change whatever was before it.
    func sendOne() {
        sent += 1
        client.begin(
            RawClient.applying(
                #"{"type":"betslip.update","stake":"\#(sent).\#(name)"}"#, to: "a"))
    }

    /// Looks at what has arrived.
    func look() {
        guard client.drain() else { return report.faults.append("\(name): the server has ended") }
        while let line = client.takeLine() { take(line) }
    }

    /// Reads until revision `last` and all answers are there.
    func finish(at last: UInt64) throws {
        while report.faults.isEmpty, revision < last || report.answers.count < sent {
            take(try client.lineBytes())
        }
    }

    private func take(_ line: [UInt8]) {
        if let offset = PublicationLedger.offset(of: line) {
            if offset != revision + 1 {
                report.faults.append("\(name): \(offset) after \(revision)")
            }
            if !ledger.agrees(line, revision: offset) {
                report.faults.append("\(name): another publication \(offset)")
            }
            revision = offset
            return
        }
        guard case .reply(_, "rpc", let result) = try? JSONCodec.decodeServerMessage(line.span),
            let rev = result.unsigned("data", "rev")
        else {
            return report.faults.append("\(name): \(String(decoding: line, as: UTF8.self))")
        }
        // The answer leaves in order, beside the publication that it belongs to.
        if rev != revision, rev != revision + 1 {
            report.faults.append("\(name): answer \(rev) at revision \(revision)")
        }
        report.answers.append(rev)
    }
}

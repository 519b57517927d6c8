import Actors
import Coordinator

/// Reads transcripts from files and standard input.
package enum ReplayInput {
    /// The longest transcript, in bytes.
    private static let maximumBytes = 64 << 20

    /// What reading gave: every transcript, or every fault of every file.
    package typealias Loaded = Result<[ReplayFile], Problems>

    /// What is wrong, one line each.
    package struct Problems: Error, Sendable, Equatable {
        /// `file:line: path: reason` or `file: reason`.
        package var lines: [String]
    }

    /// Reads every file.
    ///
    /// `-` is standard input; reading blocks while it brings nothing.
    ///
    /// - Parameters:
    ///   - paths: The files.
    ///   - isForDaemon: Whether everything must be possible over the wire.
    /// - Returns: Every transcript, or every fault of every file.
    package static func read(_ paths: [String], isForDaemon: Bool) -> Loaded {
        var files: [ReplayFile] = []
        var problems: [String] = []
        for path in paths {
            let name = path == "-" ? "standard input" : path
            do throws(FileText.Failure) {
                let bytes =
                    path == "-"
                    ? try FileText.readStandardInput(limit: maximumBytes)
                    : try FileText.read(path, limit: maximumBytes)
                do throws(TranscriptFaults) {
                    let file = try ReplayFile(name: name, bytes: bytes)
                    if isForDaemon { try file.transcript.checkWire() }
                    files.append(file)
                } catch {
                    problems += error.list.map { fault in
                        "\(name):\(fault.line == nil ? " " : "")\(fault)"
                    }
                }
            } catch {
                problems.append("\(name): cannot be read: \(error.reason)")
            }
        }
        guard problems.isEmpty else {
            return .failure(Problems(lines: problems.map(PlainText.escaped)))
        }
        return .success(files)
    }
}

extension Transcript {
    /// Names the steps that the protocol has no words for.
    ///
    /// - Throws: a fault for each.
    func checkWire() throws(TranscriptFaults) {
        var faults: [TranscriptFault] = []
        for step in steps {
            if step.role == .api {
                faults.append(
                    TranscriptFault(
                        line: step.line, path: "by.role",
                        reason: "this daemon has no HTTP API; play it without --connect"))
            }
            if case .event(let event) = step.action,
                let defect = event.defects.first(where: { $0.kind == .loneSurrogate })
            {
                faults.append(
                    TranscriptFault(
                        line: step.line, path: defect.location(from: "event"),
                        reason: "half a surrogate pair cannot be sent; play it without --connect"))
            }
        }
        if !faults.isEmpty { throw TranscriptFaults(list: faults) }
    }
}

import Actors
import Coordinator
import Glibc

/// The publications of one session as the first mirror saw them, for all others to agree with.
final class PublicationLedger: Sendable {
    private let lines = Locked<[[UInt8]?]>([])

    /// All lines, revision 1 first; empty where nobody saw one.
    var all: [[UInt8]] { lines.withLock { $0 }.map { $0 ?? [] } }

    /// Whether a line of this revision is the one that others saw; the first to see it decides.
    func agrees(_ line: [UInt8], revision: UInt64) -> Bool {
        lines.withLock { lines in
            let index = Int(revision) - 1
            while lines.count <= index { lines.append(nil) }
            guard let known = lines[index] else {
                lines[index] = line
                return true
            }
            return Self.areEqual(known, line)
        }
    }

    /// As `==`, which takes long for 800,000 lines in a build without optimisation.
    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else {
                    return true
                }
                return unsafe memcmp(first, second, left.count) == 0
            }
        }
    }

    /// The offset of a publication's line, which ends in `"offset":N}}}`; nil for other lines.
    static func offset(of line: [UInt8]) -> UInt64? {
        guard line.starts(with: #"{"push":{"channel":"session:"#.utf8) else { return nil }
        var index = line.count - 4
        var offset: UInt64 = 0
        var scale: UInt64 = 1
        while index > 0, case let digit = line[index], (0x30...0x39).contains(digit) {
            offset += UInt64(digit - 0x30) * scale
            scale *= 10
            index -= 1
        }
        return scale > 1 && line[index] == UInt8(ascii: ":") ? offset : nil
    }
}

internal import Coordinator

/// The checksums at the ends of an export's lines, each going on from that of the line before.
///
/// So a line that was changed, went, was added or comes from another file is noticed at its place.
package struct ExportLine {
    private var chain: UInt64 = 0

    /// Before the first line.
    package init() {}

    private static let middle = Array(#","crc":""#.utf8)
    private static let end = Array(#""}"#.utf8)
    private static let digits = 8
    private static let tailBytes = middle.count + digits + end.count

    /// The next line, without its line end, of a JSON object that lacks its closing brace.
    package mutating func sealed(_ open: [UInt8]) -> [UInt8] {
        open + Self.middle + next(open[...]) + Self.end
    }

    /// Whether this is the next line as it was written.
    mutating func accepts(_ line: [UInt8]) -> Bool {
        guard line.count > Self.tailBytes else { return false }
        let open = line.dropLast(Self.tailBytes)
        return line[open.endIndex...].elementsEqual(Self.middle + next(open) + Self.end)
    }

    private mutating func next(_ open: ArraySlice<UInt8>) -> [UInt8] {
        var crc = CRC32C()
        crc.add(chain)
        crc.add(Array(open))
        chain = UInt64(crc.value)
        return stride(from: 28, through: 0, by: -4).map { shift in
            Array("0123456789abcdef".utf8)[Int(crc.value >> UInt32(shift) & 15)]
        }
    }
}

/// What the lines of an export around the sessions are called.
enum ExportFormat {
    static let name = "coordd sessions"
    /// The layout that this version writes and reads.
    static let version = 1
}

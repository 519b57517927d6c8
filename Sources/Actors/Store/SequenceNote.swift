internal import Glibc

/// The highest committed sequence number, noted outside the data folder.
///
/// An older copy of the folder that was put back, and a write-ahead log that lost its end, look
/// whole; only this tells (contract: protocol, Channels). Two lines take turns, each a number and
/// its checksum, so that one that is half written leaves the other. It is written after each
/// transaction and not synced: after a power failure it may lag behind the database, which harms
/// nobody.
final class SequenceNote {
    private let path: String
    private let file: CInt
    private var turn = 0

    private static let digits = 20
    /// Digits, a blank, eight hexadecimal digits and a line end.
    private static let lineBytes = digits + 1 + 8 + 1

    /// Opens or makes the note whose path begins with `prefix`, for the folder of this name.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    init(prefix: String, folder: String) throws(SystemFault) {
        path = Self.path(prefix: prefix, folder: folder)
        file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemFault("open \(path)") }
    }

    deinit { close(file) }

    private static func path(prefix: String, folder: String) -> String {
        "\(prefix).\(folder.prefix(16))"
    }

    /// The number in the note of a folder, which is made by nobody here; nil without a note.
    static func peek(prefix: String, folder: String) -> Int64? {
        guard
            let bytes = StoreFiles.read(path(prefix: prefix, folder: folder), count: 2 * lineBytes)
        else { return nil }
        return newest(bytes + [UInt8](repeating: 0, count: 2 * lineBytes - bytes.count))
    }

    private static func newest(_ bytes: [UInt8]) -> Int64? {
        [bytes[..<lineBytes], bytes[lineBytes...]].compactMap { number(Array($0)) }.max()
    }

    /// The number that is noted; nil when there is none.
    func read() throws(SystemFault) -> Int64? {
        var bytes = [UInt8](repeating: 0, count: 2 * Self.lineBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(file, buffer.baseAddress, buffer.count, 0)
        }
        guard count >= 0 else { throw SystemFault("read \(path)") }
        let lines = [bytes[..<Self.lineBytes], bytes[Self.lineBytes...]]
        let numbers = lines.map { Self.number(Array($0)) }
        // The older of the two is written over next.
        turn = (numbers[0] ?? -1) <= (numbers[1] ?? -1) ? 0 : 1
        return numbers.compactMap(\.self).max()
    }

    /// Notes a number.
    ///
    /// When that fails the note lags behind, and says less.
    func write(_ number: Int64) {
        let line = Self.line(number)
        _ = unsafe line.withUnsafeBytes { buffer in
            unsafe pwrite(file, buffer.baseAddress, buffer.count, turn * Self.lineBytes)
        }
        turn = 1 - turn
    }

    /// Makes it survive a power failure.
    func sync() {
        fdatasync(file)
        try? Files.syncFolder(of: path)
    }

    private static func line(_ number: Int64) -> [UInt8] {
        var line = [UInt8](repeating: UInt8(ascii: "0"), count: digits)
        var (rest, place) = (number, digits - 1)
        while rest > 0, place >= 0 {
            line[place] += UInt8(rest % 10)
            (rest, place) = (rest / 10, place - 1)
        }
        line.append(UInt8(ascii: " "))
        var crc = CRC32C()
        crc.add(line)
        for shift in stride(from: 28, through: 0, by: -4) {
            line.append(Array("0123456789abcdef".utf8)[Int(crc.value >> UInt32(shift) & 15)])
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func number(_ bytes: [UInt8]) -> Int64? {
        guard let number = Int64(String(decoding: bytes.prefix(digits), as: UTF8.self)),
            number >= 0, line(number) == bytes
        else { return nil }
        return number
    }
}

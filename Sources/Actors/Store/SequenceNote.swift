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
    private static let hexadecimal = Array("0123456789abcdef".utf8)
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
    ///
    /// - Throws: ``SystemFault`` of a note that is there and says nothing.
    static func peek(prefix: String, folder: String) throws(SystemFault) -> Int64? {
        let path = path(prefix: prefix, folder: folder)
        guard StoreFiles.exists(path) else { return nil }
        guard let bytes = StoreFiles.read(path, count: 2 * lineBytes) else {
            throw SystemFault("read the sequence note \(path)")
        }
        let whole = bytes + [UInt8](repeating: 0, count: 2 * lineBytes - bytes.count)
        let lines = [whole[..<lineBytes], whole[lineBytes...]]
        guard let newest = lines.compactMap({ number(Array($0)) }).max() else {
            throw silence(of: path, isEmpty: bytes.isEmpty)
        }
        return newest
    }

    private static func silence(of path: String, isEmpty: Bool) -> SystemFault {
        SystemFault(
            action: "use the sequence note \(path)",
            reason: isEmpty ? "it is empty" : "no number in it is whole")
    }

    /// The number that is noted; nil in a new note, and in one that a cut left empty.
    ///
    /// - Throws: ``SystemFault`` of a note with something else in it; it can be written.
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
        let newest = numbers.compactMap(\.self).max()
        if newest == nil, bytes.contains(where: { $0 != 0 }) {
            throw Self.silence(of: path, isEmpty: false)
        }
        return newest
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
            line.append(hexadecimal[Int(crc.value >> UInt32(shift) & 15)])
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

internal import Glibc

/// A file that is read from any place, as often as one likes.
package final class ReadableFile: Sendable {
    /// As it was given; `-` for standard input.
    package let name: String
    private let descriptor: CInt

    /// Opens a file.
    ///
    /// What has no places, such as a pipe, is copied into a nameless file first, and so is standard
    /// input, whose name is `-`.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    package init(_ name: String) throws(SystemFault) {
        self.name = name
        let isInput = name == "-"
        let source = isInput ? STDIN_FILENO : unsafe open(name, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw SystemFault("open \(name)") }
        var status = stat()
        guard unsafe fstat(source, &status) == 0 else {
            let fault = SystemFault("look at \(name)")
            if !isInput { close(source) }
            throw fault
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            if !isInput { close(source) }
            throw SystemFault("read \(name)", code: EISDIR)
        }
        if !isInput, status.st_mode & S_IFMT == S_IFREG {
            descriptor = source
            return
        }
        defer { if !isInput { close(source) } }
        descriptor = try Self.copied(source, name)
    }

    private static func copied(_ source: CInt, _ name: String) throws(SystemFault) -> CInt {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/coordd-import-XXXXXX".utf8CString)
        let copy = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard copy >= 0 else { throw SystemFault("make a file in \(folder)") }
        _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
        unsafe unlink(
            String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        do throws(SystemFault) {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                    unsafe Glibc.read(source, buffer.baseAddress, buffer.count)
                }
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw SystemFault("read \(name)") }
                guard count > 0 else { return copy }
                try Files.write(Array(chunk[..<count]), to: copy, "a copy of \(name)")
            }
        } catch {
            close(copy)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Bytes of the file now.
    package var size: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// At most `count` bytes from `place` on; none at the end.
    func read(at place: Int, count: Int) throws(SystemFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, place)
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw SystemFault("read \(name)") }
            bytes.removeLast(count - read)
            return bytes
        }
    }
}

/// The lines of a file, one after the other.
struct LineFile {
    private let file: ReadableFile
    private var place = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of the line that was read last, counted from 1.
    private(set) var number = 0

    /// Bytes of one line: a session with everything at its bounds has a few million.
    private static let maximumBytes = 1 << 28
    private static let chunkBytes = 1 << 18
    private static let lineFeed = UInt8(ascii: "\n")

    init(_ file: ReadableFile) {
        self.file = file
    }

    /// Where in the file the next line begins.
    var offset: Int { place - (buffer.count - start) }

    /// The next line without its end; nil at the end of the file.
    ///
    /// - Throws: ``ExportFault`` for a line that is cut or too long, and for what the system refuses.
    mutating func next() throws(ExportFault) -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: Self.lineFeed) {
                defer { start = end + 1 }
                number += 1
                return Array(buffer[start..<end])
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            guard buffer.count <= Self.maximumBytes else {
                throw ExportFault(line: number + 1, reason: "the line is too long")
            }
            let chunk: [UInt8]
            do throws(SystemFault) {
                chunk = try file.read(at: place, count: Self.chunkBytes)
            } catch {
                throw ExportFault(reason: "\(error)")
            }
            guard !chunk.isEmpty else {
                guard buffer.isEmpty else {
                    throw ExportFault(line: number + 1, reason: "the line is cut")
                }
                return nil
            }
            place += chunk.count
            buffer += chunk
        }
    }
}

internal import Glibc
package import Security

/// The file with the key that seals stored secrets: 64 hexadecimal digits and a line end.
package enum KeyFile {
    /// What is in the file.
    package typealias Key = SealingKey

    /// Why there is no usable key.
    package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The system refuses something.
        case system(SystemFault)
        /// Others than its owner may use the file, which has this mode.
        case exposed(path: String, mode: String)
        /// The file does not hold a key.
        case malformed(path: String)
        /// There are sealed secrets already, and no file.
        case missing(path: String)

        /// The fault in plain words.
        package var description: String {
            switch self {
            case .system(let fault): fault.description
            case .exposed(let path, let mode):
                "the key file \(path) has mode \(mode); it must be 0600"
            case .malformed(let path):
                "the key file \(path) must be a file with 64 hexadecimal digits and a line end"
            case .missing(let path):
                "the key file \(path) is missing, and stored secrets need the key they were "
                    + "sealed with"
            }
        }
    }

    /// Reads the key; makes a new one when there is no file and no secret is sealed yet.
    ///
    /// `isNeeded` tells that secrets may be sealed already, so that only the old key will do.
    package static func key(at path: String, isNeeded: Bool) throws(Fault) -> SealingKey {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 {
            defer { close(descriptor) }
            return try read(descriptor, path)
        }
        guard errno == ENOENT else { throw .system(SystemFault("open \(path)")) }
        guard !isNeeded else { throw .missing(path: path) }
        return try make(path)
    }

    private static func read(_ descriptor: CInt, _ path: String) throws(Fault) -> SealingKey {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .system(SystemFault("look at \(path)"))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .malformed(path: path) }
        let mode = status.st_mode & 0o777
        guard mode & 0o077 == 0 else {
            throw .exposed(path: path, mode: "0" + String(mode, radix: 8))
        }
        guard let text = try? FileText.read(path, limit: 66) else {
            throw .malformed(path: path)
        }
        let digits = text.filter { !($0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")) }
        let values = digits.map(value)
        guard values.count == 2 * SealingKey.byteCount, !values.contains(nil) else {
            throw .malformed(path: path)
        }
        let bytes = stride(from: 0, to: values.count, by: 2).map { place in
            (values[place] ?? 0) << 4 | (values[place + 1] ?? 0)
        }
        guard let key = try? SealingKey(bytes: bytes) else { throw .malformed(path: path) }
        return key
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Makes the file whole or not at all: a key that is half written would lose all secrets.
    private static func make(_ path: String) throws(Fault) -> SealingKey {
        let (key, bytes) = SealingKey.random()
        let draft = "\(path).\(getpid()).tmp"
        do throws(SystemFault) {
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                try Files.makeFolder(String(path[..<slash]))
            }
            let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw SystemFault("make \(draft)") }
            defer {
                close(descriptor)
                unsafe unlink(draft)
            }
            try Files.write(Array("\(hex(bytes))\n".utf8), to: descriptor, draft)
            guard fsync(descriptor) == 0 else { throw SystemFault("write \(draft)") }
            // A link, not a move: a file that appeared meanwhile is not replaced.
            guard unsafe link(draft, path) == 0 else { throw SystemFault("make \(path)") }
            // One may be allowed to make files in a folder and not to read it.
            try? Files.syncFolder(of: path)
        } catch {
            throw .system(error)
        }
        return key
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

internal import Coordinator
internal import Glibc

extension StoreFiles {
    /// Checks that no page is beyond the end of the file but those that the log has.
    ///
    /// SQLite sees that a file was cut only when it reads such a page.
    ///
    /// - Throws: ``StoreFault`` of a file that lost its end.
    func checkLength(pages: Int64) throws(StoreFault) {
        let there = Int64(Self.size(of: path) / Self.pageBytes)
        guard there < pages else { return }
        let logged = loggedPages()
        // SQLite never writes the page that its locks lie in.
        let missing = (there + 1...pages).first { page in
            !logged.contains(page) && page != Self.lockPage
        }
        guard let missing else { return }
        throw .damaged("the file ends before page \(missing) of \(pages)")
    }

    private static let lockPage: Int64 = 0x4000_0000 / Int64(pageBytes) + 1

    /// The numbers of the pages in the log that belong to its present round (SQLite, file format,
    /// section 4).
    private func loggedPages() -> Set<Int64> {
        let descriptor = unsafe open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var pages: Set<Int64> = []
        guard let head = Self.read(descriptor, count: 32, at: 0) else { return [] }
        var place = 32
        while let frame = Self.read(descriptor, count: 24, at: place),
            frame[8..<16] == head[16..<24]
        {
            pages.insert(frame[..<4].reduce(0) { $0 << 8 | Int64($1) })
            place += 24 + Self.pageBytes
        }
        return pages
    }

    /// So many bytes at a place; nil when they are not all there.
    private static func read(_ descriptor: CInt, count: Int, at place: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(place))
        }
        return read == count ? bytes : nil
    }
}

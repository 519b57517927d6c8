internal import Actors
internal import Glibc

/// One run of a path, with its loop and its data folder.
enum PathRun {
    /// The names of all paths.
    static var names: [String] { PathBench.shapes.map(\.name) }

    /// Runs the shape of this name and prints what an event took; `count` events are rounded to whole turns.
    static func run(_ name: String, count: Int) throws {
        guard let shape = PathBench.shapes.first(where: { $0.name == name })?.shape else {
            fatalError("unknown path \(name)")
        }
        let turns = max(1, count / (shape.sessions * shape.eventsInTurn))
        var path = Array("/tmp/bench-micro-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { fatalError("no temporary folder") }
        let folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for end in ["", "-wal", "-shm"] { unsafe unlink(folder + "/sessions.sqlite" + end) }
            unsafe rmdir(folder)
        }
        let loop = try UVEventLoop(name: "bench")
        loop.execute {
            do {
                let bench = try PathBench(shape, on: loop, folder: folder)
                let clock = ContinuousClock()
                loop.atTurnEnd {
                    let start = clock.now
                    bench.run(turns: turns) { events, bytes in
                        let each = (clock.now - start) / max(1, events)
                        print("\(name): \(each) each, \(events) events, \(bytes) bytes")
                        loop.stop()
                    }
                }
            } catch {
                fatalError("\(error)")
            }
        }
        loop.run()
    }
}

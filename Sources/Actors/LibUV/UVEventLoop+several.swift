internal import CLibUV

extension UVEventLoop {
    /// Cores that this process may run on.
    package static var availableCores: Int { Int(uv_available_parallelism()) }

    /// Makes loops that agree on the time; all but the first have their number behind the name.
    ///
    /// - Throws: ``UVError`` when the process has no file descriptor left.
    package static func several(_ count: Int, name: String) throws(UVError) -> [UVEventLoop] {
        let clock = UVClock()
        var loops: [UVEventLoop] = []
        for index in 0..<count {
            let name = index == 0 ? name : "\(name) \(index + 1)"
            loops.append(try UVEventLoop(name: name, clock: clock))
        }
        return loops
    }
}

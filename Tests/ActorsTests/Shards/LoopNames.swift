import Actors
import Coordinator

/// Names of sessions by the loop that they belong to, of two.
enum LoopNames {
    /// The first `count` names that belong to the loop at a place.
    static func at(_ place: Int, _ count: Int, among loops: Int = 2) -> [String] {
        var names: [String] = []
        for number in 0... {
            guard names.count < count else { break }
            let name = "session-\(number)"
            guard let id = SessionID(name), Post.place(of: id, among: loops) == place else {
                continue
            }
            names.append(name)
        }
        return names
    }

    /// A name of each of the two loops.
    static let both = [at(0, 1)[0], at(1, 1)[0]]
}

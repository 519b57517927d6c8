internal import Glibc

/// A file beside the database that has the next start check all of it.
struct StoreSuspicion {
    private let path: String

    init(database: String) {
        path = database + ".suspect"
    }

    var isRaised: Bool { unsafe access(path, F_OK) == 0 }

    /// Nothing depends on it: when it cannot be made, damage is found as it is read.
    func raise() {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    func clear() {
        unsafe unlink(path)
    }
}

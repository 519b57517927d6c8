internal import CLibUV

/// Names the calling thread for debuggers and `ps`.
enum ThreadName {
    /// Uses the first 15 bytes of `name`, all that the system keeps.
    static func set(_ name: String) {
        unsafe cuv_name_thread(String(name.utf8.prefix(15)) ?? "")
    }
}

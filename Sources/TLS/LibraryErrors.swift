internal import COpenSSL

/// What OpenSSL noted about calls that failed on this thread.
enum LibraryErrors {
    /// The reason of the first failure, in the library's numbers, and forgets all of them; 0 when
    /// there was none.
    static func takeReason() -> Int32 {
        let code = ERR_peek_error()
        ERR_clear_error()
        return code == 0 ? 0 : ERR_GET_REASON(code)
    }

    /// The last failure in the library's words, and forgets all of them.
    static func takeWords() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard let text = unsafe ERR_reason_error_string(code) else { return "unknown reason" }
        return unsafe String(cString: text)
    }
}

internal import CLibUV

/// A failed call of libuv: its code, and what was being done.
package struct UVError: Error, Sendable, Equatable, CustomStringConvertible {
    /// libuv's code: the negated `errno`, or one of libuv's own.
    package let code: Int32
    /// The call and what it was about, such as `listen 127.0.0.1:80`.
    package let call: String

    /// Wraps a negative result of a call.
    init(_ code: Int32, _ call: String) {
        self.code = code
        self.call = call
    }

    /// The call, libuv's words for the code and its symbol.
    package var description: String {
        unsafe "\(call): \(String(cString: uv_strerror(code))) (\(String(cString: uv_err_name(code))))"
    }

    /// Throws when `result` is a failure.
    static func check(_ result: Int32, _ call: @autoclosure () -> String) throws(UVError) {
        if result < 0 { throw UVError(result, call()) }
    }
}

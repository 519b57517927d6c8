internal import CLibUV

/// What libuv or the kernel answered to a call that failed.
package struct UVError: Error, Hashable, CustomStringConvertible {
    /// The negative number of libuv, on Unix the negated `errno`.
    package let code: Int32
    /// The call that failed and what it was about, for instance `listen 127.0.0.1:80`.
    package let call: String

    /// Names a failed call and libuv's answer to it.
    package init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// The symbolic name, for instance `ECONNREFUSED`.
    package var name: String {
        unsafe text(uv_err_name_r)
    }

    /// One line for a log or a terminal, such as `listen 127.0.0.1:80: permission denied (EACCES)`.
    package var description: String {
        unsafe "\(call): \(text(uv_strerror_r)) (\(name))"
    }

    /// The variants that fill a buffer, because the others leak memory for an unknown code.
    private func text(
        _ fill: (Int32, UnsafeMutablePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
    ) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe buffer.initialize(repeating: 0)
            _ = unsafe fill(code, buffer.baseAddress, buffer.count)
            let bytes = unsafe buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension UVError {
    /// Turns a negative result of libuv into an error, and passes any other result on.
    static func check(_ result: Int32, _ call: @autoclosure () -> String) throws(UVError) {
        guard result >= 0 else { throw UVError(code: result, call: call()) }
    }

    /// The error of a call that was cut short because its handle was closed.
    static func cancelled(_ call: String) -> UVError {
        UVError(code: UV_ECANCELED.rawValue, call: call)
    }

    /// A connection whose bytes break a protocol, in the words of `call`.
    package static func protocolFault(_ call: String) -> UVError {
        UVError(code: UV_EPROTO.rawValue, call: call)
    }
}

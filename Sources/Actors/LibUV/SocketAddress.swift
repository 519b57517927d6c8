internal import CLibUV
internal import Glibc

/// An address of TCP over IPv4 or IPv6.
struct SocketAddress {
    private var storage: sockaddr_storage

    /// Resolves `HOST:PORT`; an IPv6 host stands in brackets.
    ///
    /// A name is looked up with the system's resolver, which blocks: this is for start-up and for
    /// tools, never for a running loop.
    init(_ text: String) throws(UVError) {
        guard let colon = text.lastIndex(of: ":") else {
            throw UVError(UV_EINVAL.rawValue, "read the address \(text)")
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(
            String(host), String(text[text.index(after: colon)...]), &hints, &found)
        guard result == 0, let first = unsafe found,
            let address = unsafe first.pointee.ai_addr
        else { throw UVError(UV_EAI_NONAME.rawValue, "read the address \(text)") }
        defer { unsafe freeaddrinfo(first) }
        storage = sockaddr_storage()
        let length = unsafe Int(first.pointee.ai_addrlen)
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe target.copyMemory(
                from: UnsafeRawBufferPointer(start: address, count: length))
        }
    }

    /// Asks `read` for an address, as `uv_tcp_getpeername` and its like give it.
    init(
        _ call: String,
        read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
    ) throws(UVError) {
        var storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe read($0, &length)
            }
        }
        try UVError.check(result, call)
        self.storage = storage
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }

    /// The host in numbers, without brackets.
    var host: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let result = unsafe withSockaddr { unsafe uv_ip_name($0, &buffer, buffer.count) }
        guard result == 0 else { return "?" }
        let digits = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: digits, as: UTF8.self)
    }

    /// The host and the port, an IPv6 host in brackets.
    var description: String {
        let isV6 = storage.ss_family == sa_family_t(AF_INET6)
        let port = unsafe withUnsafeBytes(of: storage) { bytes in
            // The port stands at the same place in both families, in network byte order.
            unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
        return isV6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

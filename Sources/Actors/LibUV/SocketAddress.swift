internal import CLibUV
internal import Glibc

/// A numeric IPv4 or IPv6 address and a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address without brackets, for instance `127.0.0.1` or `::1`.
    package let host: String
    /// The TCP port; 0 asks the kernel to choose one.
    package let port: UInt16

    /// Pairs a host and a port; whether the host is numeric shows when it is used.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether it is this machine's own, in the kernel's notation; also IPv4 written as IPv6.
    package var isLoopback: Bool {
        host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }

    /// The customary notation: `127.0.0.1:80`, and `[::1]:80` for IPv6.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension SocketAddress {
    /// The kernel's form of the address, with its length in bytes.
    ///
    /// - Throws: EINVAL when the host is not a numeric address.
    func native(for call: String) throws(UVError) -> (sockaddr_storage, socklen_t) {
        var storage = sockaddr_storage()
        if unsafe uv_ip4_addr(host, Int32(port), cuv_sockaddr_in(&storage)) == 0 {
            return (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        let status = unsafe uv_ip6_addr(host, Int32(port), cuv_sockaddr_in6(&storage))
        try UVError.check(status, "\(call) \(self)")
        return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }

    /// Reads the kernel's form; nil for a family other than IPv4 and IPv6.
    init?(_ native: sockaddr_storage) {
        var storage = native
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        let status: Int32
        switch Int32(storage.ss_family) {
        case AF_INET:
            status = unsafe uv_ip4_name(cuv_sockaddr_in(&storage), &text, text.count)
            port = unsafe UInt16(bigEndian: cuv_sockaddr_in(&storage).pointee.sin_port)
        case AF_INET6:
            status = unsafe uv_ip6_name(cuv_sockaddr_in6(&storage), &text, text.count)
            port = unsafe UInt16(bigEndian: cuv_sockaddr_in6(&storage).pointee.sin6_port)
        default:
            return nil
        }
        guard status == 0 else { return nil }
        host = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

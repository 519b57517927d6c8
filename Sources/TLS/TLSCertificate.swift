internal import COpenSSL

/// What an operator wants to know about a certificate chain.
package struct TLSCertificate: Sendable, Equatable {
    /// Whom the first certificate is for, as `/CN=…`, cut at 255 bytes.
    package let subject: String
    /// Certificates in the chain.
    package let count: Int
    /// Unix seconds from which on all of them are valid.
    package let validFrom: Int64
    /// Unix seconds after which one of them is not valid any more.
    package let validUntil: Int64

    /// The facts of certificates, at least one.
    init(_ chain: [LibraryCertificate]) {
        subject = Self.subject(of: chain[0])
        count = chain.count
        validFrom = chain.map { unsafe Self.seconds(X509_get0_notBefore($0.pointer)) }.max() ?? 0
        validUntil = chain.map { unsafe Self.seconds(X509_get0_notAfter($0.pointer)) }.min() ?? 0
    }

    private static func subject(of certificate: LibraryCertificate) -> String {
        var text = [CChar](repeating: 0, count: 256)
        let name = unsafe X509_NAME_oneline(
            X509_get_subject_name(certificate.pointer), &text, Int32(text.count))
        guard unsafe name != nil else { return "" }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A time that cannot be read is long ago: whoever asks is warned.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return 0 }
        defer { unsafe ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

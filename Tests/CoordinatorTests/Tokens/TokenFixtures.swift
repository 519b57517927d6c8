/// Keys and tokens that were made with the `openssl` command and not with this project's code.
///
/// The payload of each token is `{"sub": "ann", "sessions": ["match-*"]}`.
enum TokenFixtures {
    /// An RSA key of 2,048 bits.
    static let rsaKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAv76LZyPKK7F4MxRxqgFr
        cNbqL4un9Ez5OfykfPVX49UWzw/SqqQrAJkSmzqjg9C9cZ80y+jY64m5dzvafE6l
        C22as32dH5mVWXjP1RcvpFzcrtn+yvFjsBI05SwUD1JEN7vpnZxNNIhQ6Gja+X2U
        dwUuD/HYSQH+lKjdr6KrBrejQeuOpYl/+1/4UxR7VzZ6RciiOiZyHkxwEhop+cNO
        JGEi3tt7RViGqS7k2Vgwm5b/hw3XrUXSIZl205v4K/QNKsyDQoFRypf4ady/qbIy
        E1gD+nVVXK8mIa73h1yVjOXRQgboCHn+SvK81dWwTXLkWQSz8g5YqouJhkYR0cyl
        +QIDAQAB
        -----END PUBLIC KEY-----
        """

    /// An RSA key of 1,024 bits.
    static let shortRSAKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC6PE9/enTZh5mpy8aXOLeWq6rk
        ilQPFMhp7BLAk5vJwxlHFp08lD4LO3ZW+uYQQ7FdNauy7z1noAvRn4Y0+w1jo5YF
        qFPDuxdYjmHbij4bk5ytYfnHCgMV2AMjLI+6fMWtRr91Z67nMX9kDT7/aWQ3rVpj
        pwhqRxjabn/A07v+xQIDAQAB
        -----END PUBLIC KEY-----
        """

    /// A key of the curve P-256.
    static let p256Key = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEh4/uO9EpSqZkhoRUixcPyo7JRb6a
        +1hPJqnf/I/qZdOKpszX/7Z3ZKieAE3LvKgj8CdwCsI/Zr1m1ov9aT+eaQ==
        -----END PUBLIC KEY-----
        """

    /// A key of the curve P-384.
    static let p384Key = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAETyruooGVqm6cZsCmq90q7quc/dqzK82k
        X38//3LZuRKIqStBahfoDMlpjo4uoxZHAep5zIGH3w7I3/Le19NJxY5mkVELVGCx
        YttpIx6q+q28NiDT8me+5PFBluUsW0JS
        -----END PUBLIC KEY-----
        """

    /// A key of Ed25519.
    static let ed25519Key = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAHQbqy5qpNkTbbuprza7QgfokZPOzvgF8mXg4CcVk+7Q=
        -----END PUBLIC KEY-----
        """

    /// Signed with the RSA key.
    static let rs256 =
        "eyJhbGciOiAiUlMyNTYifQ.eyJzdWIiOiAiYW5uIiwgInNlc3Npb25zIjogWyJtYXRjaC0"
        + "qIl19.mtJJizddPxEPcVcU7i74HicXckp_irTYbcE3ySCDTwrgf5qjlZSHDVOE39Fo8SdO"
        + "ag1-rOxomK6jEu51VtsPdXCAObWHMXy66Lw9utTZPSVYOsnlpVm_S2U-m_u-OIFtKSxSh5"
        + "17mUYBJ7qBHZgJFshrohPBM9VysHnmyY3K2HndHnuyuGMM0UM_XQUNui8LkUxGoC7ztliL"
        + "FntAtvtc3f3OIJOE14Mkmca0Y1TCh4RocW5qMgd9PGJnyRFrqG04zEVS9nIfF7pek8EQtB"
        + "LMr9Y1uH3fwp40ikismlIbVOHnL9zL11U6C2r8U0_nGvpyQSvafvMvlK8C3UA_CTDGHg"

    /// Signed with the P-256 key.
    static let es256 =
        "eyJhbGciOiAiRVMyNTYifQ.eyJzdWIiOiAiYW5uIiwgInNlc3Npb25zIjogWyJtYXRjaC0"
        + "qIl19.DP_VUL0K8Xrfy_13hbY5CwdLlCQLUgHSug08Id46cMbXHiH3lCSTi4agiZL2Xz9-"
        + "1i92HvcA68dIxQ0s9dkScA"

    /// Signed with the P-256 key; the signature's first number begins with a zero byte.
    static let es256WithZero =
        "eyJhbGciOiAiRVMyNTYifQ.eyJzdWIiOiAiYW5uIiwgInNlc3Npb25zIjogWyJtYXRjaC0"
        + "qIl19.AKEBYIxFffZE8XhIfi7XdfLLE-JJhIs9AK66OLvi2jRI9biXjYSIiZYGRR6npdsR"
        + "1RwwOL9XSXn9241y9d0J9A"

    /// HS256 with the text of the RSA key as its secret.
    static let confused =
        "eyJhbGciOiAiSFMyNTYifQ.eyJzdWIiOiAiYW5uIiwgInNlc3Npb25zIjogWyJtYXRjaC0"
        + "qIl19.67vwOcsS20LhsHiUmNr9elmSkwg2PwXvKy3mFLPKBto"
}

// Written by Scripts/make-test-certificates.sh; these keys protect nothing.

/// Certificates and keys for tests, in PEM; all but the expired one end in a hundred years.
package enum TestCertificates {
    /// The root, which clients trust.
    package static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBfDCCASKgAwIBAgIUVJgFM6mMvoxuToGMiH2ayilJrFUwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQY29vcmRkIHRlc3Qgcm9vdDAgFw0yNjExMzAxODE0MDVaGA8y
        MTI2MTEwNjE4MTQwNVowGzEZMBcGA1UEAwwQY29vcmRkIHRlc3Qgcm9vdDBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABAYA/AcIkfiUkC1bYHR134MOgXOzP+bBmukk
        7M1GrsN5HWIGXXfdXVGlonPIdZ64Us9hJ4R/r2zElffL53oIIwKjQjBAMA8GA1Ud
        EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBTfSWQETbFOtMU5
        236aGlijP1YkGTAKBggqhkjOPQQDAgNIADBFAiBjvJIFCx61U6QWeFT99iLA1E2I
        QWE8TuM3d7U3zDO/rAIhAP3zeikBASX328dunT7aWL8Q6WooeRkwsonoIaO14xFF
        -----END CERTIFICATE-----
        """
    /// For localhost, coordd.test and the loopback addresses: P-256, behind an intermediate one.
    package static let chain = """
        -----BEGIN CERTIFICATE-----
        MIIB7TCCAZOgAwIBAgIUDFg/MUUpwFEEmR4pllTbxVW6faMwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRpYXRlMCAXDTI2MTEzMDE4
        MTQwNVoYDzIxMjYxMTA2MTgxNDA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTAT
        BgcqhkjOPQIBBggqhkjOPQMBBwNCAASoB9pMYlRJ/PFS3NkkXQcTTC7PF6H/WzqV
        nXckox3jxGSwjAFeOA3Y1sgFCTkMATvdVkxHFPYjx2Ay6SP2Z9OLo4GxMIGuMAwG
        A1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMB
        MDkGA1UdEQQyMDCCCWxvY2FsaG9zdIILY29vcmRkLnRlc3SHBH8AAAGHEAAAAAAA
        AAAAAAAAAAAAAAEwHQYDVR0OBBYEFN3ojWkASUGeV3GBSAGNVe5AklQvMB8GA1Ud
        IwQYMBaAFMom21o47W1KBJZwY94xAdLoGL35MAoGCCqGSM49BAMCA0gAMEUCIGlo
        wNIhVSRDyQJjUnnx8uLHEZyeqe52yXywUCgR7KDRAiEAw03AdUmpaJjK/3tgNWrk
        jOeGypGnMw4clZ+b5re94vc=
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBpDCCAUugAwIBAgIUL8gtMUMfx/ELlRBiSnM/qQUKe4QwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQY29vcmRkIHRlc3Qgcm9vdDAgFw0yNjExMzAxODE0MDVaGA8y
        MTI2MTEwNjE4MTQwNVowIzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRp
        YXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzLK8PKlHHprVNJfqVrWCLyqo
        hOXGVx2IUSMu4G4m4SwxbuBhZpkygB7NCQmPKdyoNfbG50qkDIR/LGHztdQRcKNj
        MGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFMom
        21o47W1KBJZwY94xAdLoGL35MB8GA1UdIwQYMBaAFN9JZARNsU60xTnbfpoaWKM/
        ViQZMAoGCCqGSM49BAMCA0cAMEQCIG91WtBFee1wkbQBIHnhRvl3cANWKtEyBZNZ
        khwCw2NJAiAfiTC0XpeKqjy7CMQhnPBFYE4JFhASYRh1k+ljub194w==
        -----END CERTIFICATE-----
        """
    /// The key of the chain.
    package static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVm+QaE2H1LkpGa51
        MJSeQFyxB1ETKWt/ggdy0cNiYSmhRANCAASoB9pMYlRJ/PFS3NkkXQcTTC7PF6H/
        WzqVnXckox3jxGSwjAFeOA3Y1sgFCTkMATvdVkxHFPYjx2Ay6SP2Z9OL
        -----END PRIVATE KEY-----
        """
    /// The same with RSA.
    package static let rsaChain = """
        -----BEGIN CERTIFICATE-----
        MIICuTCCAl6gAwIBAgIUDFg/MUUpwFEEmR4pllTbxVW6faQwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRpYXRlMCAXDTI2MTEzMDE4
        MTQwNloYDzIxMjYxMTA2MTgxNDA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEi
        MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCnESrgC3M5MgFExqplMESVcJGg
        yLQ2/o3Pf8vlQOfVyCI2QoooNKw+pCmZor2dkKS/X3xQpACP29FXsyvbW2CFDQkG
        5dCSLGfF/5VSwJJ5SkBvI2w11GGKKDL3NPHcs+/3ZEAyQVIJEgHNt6Lnl6aCo7JL
        NWj/5OyHzqz9RTJ17iGBaHAiPpNyfJwOM+rxJ0HQeptecflI8yfdHEi8demOZKnB
        wLnd+/K1Yw5BU5GdRByxrqZqVKtdIikP1UX+/vui8F813jk1wnDnpWqZVa1+/HFU
        pvkeRFXDvGUGtU4e14+HK8vvcd9A7rk+N2UDGBFTx5dJ7zloimgYl/63oHZTAgMB
        AAGjgbEwga4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAww
        CgYIKwYBBQUHAwEwOQYDVR0RBDIwMIIJbG9jYWxob3N0ggtjb29yZGQudGVzdIcE
        fwAAAYcQAAAAAAAAAAAAAAAAAAAAATAdBgNVHQ4EFgQUtowTCWri6cGPOwfB20Sk
        FMotr5kwHwYDVR0jBBgwFoAUyibbWjjtbUoElnBj3jEB0ugYvfkwCgYIKoZIzj0E
        AwIDSQAwRgIhAKFgWjfisVJfhHE8yKaok490vPjD1+DBfggDkykEUXSwAiEAln+5
        gmuEMOKkCZuJANkSY3JY8sw1Y8dil4WLjR39Ta8=
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBpDCCAUugAwIBAgIUL8gtMUMfx/ELlRBiSnM/qQUKe4QwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQY29vcmRkIHRlc3Qgcm9vdDAgFw0yNjExMzAxODE0MDVaGA8y
        MTI2MTEwNjE4MTQwNVowIzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRp
        YXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzLK8PKlHHprVNJfqVrWCLyqo
        hOXGVx2IUSMu4G4m4SwxbuBhZpkygB7NCQmPKdyoNfbG50qkDIR/LGHztdQRcKNj
        MGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFMom
        21o47W1KBJZwY94xAdLoGL35MB8GA1UdIwQYMBaAFN9JZARNsU60xTnbfpoaWKM/
        ViQZMAoGCCqGSM49BAMCA0cAMEQCIG91WtBFee1wkbQBIHnhRvl3cANWKtEyBZNZ
        khwCw2NJAiAfiTC0XpeKqjy7CMQhnPBFYE4JFhASYRh1k+ljub194w==
        -----END CERTIFICATE-----
        """
    /// The key of the RSA chain.
    package static let rsaKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCnESrgC3M5MgFE
        xqplMESVcJGgyLQ2/o3Pf8vlQOfVyCI2QoooNKw+pCmZor2dkKS/X3xQpACP29FX
        syvbW2CFDQkG5dCSLGfF/5VSwJJ5SkBvI2w11GGKKDL3NPHcs+/3ZEAyQVIJEgHN
        t6Lnl6aCo7JLNWj/5OyHzqz9RTJ17iGBaHAiPpNyfJwOM+rxJ0HQeptecflI8yfd
        HEi8demOZKnBwLnd+/K1Yw5BU5GdRByxrqZqVKtdIikP1UX+/vui8F813jk1wnDn
        pWqZVa1+/HFUpvkeRFXDvGUGtU4e14+HK8vvcd9A7rk+N2UDGBFTx5dJ7zloimgY
        l/63oHZTAgMBAAECggEAAturKUW4370dwsXyoKQzQCqQAI6pGpm/O6da3x39pALL
        pwmmCxW07qYTT3K2c2LH7BLfnGePL5GEos9ItvTOEWii2LsyFsDAuQ/sHOF41VoH
        q9RmI65G9Dyc0ULWx75M+CVUaH0FQMIjRW2DUW/0OXRAdsM/+8S4US3KzX2+D8C5
        5aB82MR1e1hPsmkxkc8iR5sF//SUTDF4YlxMBLfV0HQXBgMHnQ71SSBmHj/SjvHZ
        h9Ks2KrgQ9bJ1KrnpQC8ucdgd3vFCKFgkqt/OHo1pddIUYqJ+g0KH9gWTyi5YTl/
        nuV+MTpYquQ+engMehYzB9UrGeYQEhLn+z/PjMzETQKBgQDc5y6w6rcGRgRZJYyi
        w765ZSmyIWZNwQA+aX1fNmTTg6/xwub+m03faWKHhqxpHUzKkTTaDTPxveEzT2ol
        OjUF4hv4wANQ9qJpkDm1RUW6K8aPht9UC6QCnSHysBtm8Fql5mANK44wFAgSg5cy
        DL6+iNFUFZQ7+CUq4/n945BNVQKBgQDBnE6RwiJhfhuzWbQcc2wW/zT+BYrexIxf
        WTT0evMqwRcZA5hmQx7LKYUEnwnEH9IR7PpF/MIiYMrVrknLz8aij18/Qcd09gCp
        mYuft/lkmuKUeiDOE39xWv7g3yMVqMAT+Ew9GO9QqsVh4DfwaQIceux1kycNFjWB
        NqS/Mfz1BwKBgEWDXjb/9U49FDs1TLcfX9IZWnCagAXxuPDq4y/l/v5sTx6F1YjD
        OFMYZ4/8Oh7twG9yGC6RvwnQVaB+2gkS8wKB74lsat68bclIQFChltqJ0fbyWy6o
        ZxkHd1pWPpk7A1t3Tjx2u0y30P56eEagqhltFmoeTEI+yPthOBbD2HHtAoGAa7U0
        NHxmugv5BxaxT16a1FRXu7WDoxh+6xBqmFPJ8ZAH9H9+ie1vNSC9Amwjd7soF5bZ
        SJQrwApO7P8PyNWnMIpIN521g4jTp4ZnGYy0rlZIFMe4dkx8iqhPwPQBxaviZ3mr
        mBXGFP9b3W5qUFFqvkNYRrR9dhdT3rVyg3cgvYMCgYEAiG7Bl0qgTboo4uV9Ytom
        dYXnGxvcpyBtLGH9Yy1Nh7CCxrYN5+z976cM+xxYlkVSDdUNk/Jt8kJLz0s8X3vL
        Y9XAUD/qJUbwy5Gjrebvne/JG2BeC8R17sedLVcg36BfEizjvqHGiW49k/CkeK5n
        ig+Iq8wtu4HxwIRgEj+kvPM=
        -----END PRIVATE KEY-----
        """
    /// What takes the place of the chain.
    package static let nextChain = """
        -----BEGIN CERTIFICATE-----
        MIIB9DCCAZqgAwIBAgIUDFg/MUUpwFEEmR4pllTbxVW6faUwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRpYXRlMCAXDTI2MTEzMDE4
        MTQwNloYDzIxMjYxMTA2MTgxNDA2WjAbMRkwFwYDVQQDDBBjb29yZGQgdGVzdCBu
        ZXh0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExFTZQQXtIOUovqoBmFlL1HqC
        RaMKj8i0zJ51FV6prYb9iXr7bStXPnDPq/ibOzxcg526b92Jd2nhTU/tJ9VIbKOB
        sTCBrjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggr
        BgEFBQcDATA5BgNVHREEMjAwgglsb2NhbGhvc3SCC2Nvb3JkZC50ZXN0hwR/AAAB
        hxAAAAAAAAAAAAAAAAAAAAABMB0GA1UdDgQWBBQgtwMWy+uwwm19FlG9k2uPTvFt
        9DAfBgNVHSMEGDAWgBTKJttaOO1tSgSWcGPeMQHS6Bi9+TAKBggqhkjOPQQDAgNI
        ADBFAiBeiu5/5Mdo+7ipEPC/09mfQ0U/CkjYpK3K+RH+aL/PDwIhAPaaZfxDTF/U
        BVv/pObIoDVXYnvAoa/A+7NOHKleBmUH
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBpDCCAUugAwIBAgIUL8gtMUMfx/ELlRBiSnM/qQUKe4QwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQY29vcmRkIHRlc3Qgcm9vdDAgFw0yNjExMzAxODE0MDVaGA8y
        MTI2MTEwNjE4MTQwNVowIzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRp
        YXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzLK8PKlHHprVNJfqVrWCLyqo
        hOXGVx2IUSMu4G4m4SwxbuBhZpkygB7NCQmPKdyoNfbG50qkDIR/LGHztdQRcKNj
        MGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFMom
        21o47W1KBJZwY94xAdLoGL35MB8GA1UdIwQYMBaAFN9JZARNsU60xTnbfpoaWKM/
        ViQZMAoGCCqGSM49BAMCA0cAMEQCIG91WtBFee1wkbQBIHnhRvl3cANWKtEyBZNZ
        khwCw2NJAiAfiTC0XpeKqjy7CMQhnPBFYE4JFhASYRh1k+ljub194w==
        -----END CERTIFICATE-----
        """
    /// The key of the next chain.
    package static let nextKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgM9mHuCaLL0kTg8l7
        Q4SR/85LhGhe7Lh2eBpc/nO7my+hRANCAATEVNlBBe0g5Si+qgGYWUvUeoJFowqP
        yLTMnnUVXqmthv2JevttK1c+cM+r+Js7PFyDnbpv3Yl3aeFNT+0n1Uhs
        -----END PRIVATE KEY-----
        """
    /// The key of the chain under a passphrase.
    package static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAguBNoIZgGGsgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEF3ZEwBmGdEzPns7zGPxKN4EgZCh
        4YLN3jQXPCoHTMUDZW3Yy+rysTs1fqz7UVEPy/KccllzZOjL5TWuVIepKQfq5fCw
        BJ+kbHDV8hlVnwgKJYoQGnAf6zLUctwQkCEYS3yhtI3f16FN1b1RZte4vzmlJ5WM
        W0TUDz3SphR+e7gh+YrsxIs7cpFM5gfZx4LSv+DI6Gn9MiL1evjtRCk/dH6WHXI=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// An RSA key of 1,024 bits.
    package static let weakChain = """
        -----BEGIN CERTIFICATE-----
        MIICMzCCAdqgAwIBAgIUDFg/MUUpwFEEmR4pllTbxVW6faYwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYY29vcmRkIHRlc3QgaW50ZXJtZWRpYXRlMCAXDTI2MTEzMDE4
        MTQwNloYDzIxMjYxMTA2MTgxNDA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8w
        DQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBAOsVPdm75br664cxAuovTZjdclcj/Vz4
        9mDMdi4bv1uwSXy2+43iPUv7sD0+zbo/xeXCBB9DmrOW/W0WOT+HIZA1AlJ4UxfB
        xzkCFZuKzPGaDVsYZXnC5rnwgj1NsCd7Tp7X5N5Fw+oqfz3tTRpAta+Q++b23Tfh
        L9w7+1DoEnkHAgMBAAGjgbEwga4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMC
        B4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwOQYDVR0RBDIwMIIJbG9jYWxob3N0ggtj
        b29yZGQudGVzdIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAdBgNVHQ4EFgQUy/DQ
        YMvSrQYp/Uh3ZGrqNBki+ZYwHwYDVR0jBBgwFoAUyibbWjjtbUoElnBj3jEB0ugY
        vfkwCgYIKoZIzj0EAwIDRwAwRAIgdI7ZGUZG1fPTUKZIc0+Hn5ZMRZW51VSMbzV0
        yIMoUXgCIDwg4fD0kvsnmlvQ3rrRZvs/PCCTqsVjMaJiWz993QRr
        -----END CERTIFICATE-----
        """
    /// The key of the weak one.
    package static let weakKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAOsVPdm75br664cx
        AuovTZjdclcj/Vz49mDMdi4bv1uwSXy2+43iPUv7sD0+zbo/xeXCBB9DmrOW/W0W
        OT+HIZA1AlJ4UxfBxzkCFZuKzPGaDVsYZXnC5rnwgj1NsCd7Tp7X5N5Fw+oqfz3t
        TRpAta+Q++b23TfhL9w7+1DoEnkHAgMBAAECgYBOAORfBRv7aRsR5s9iyYNj/8ba
        51RAr1OBVxa3wflDAUHBIi5iK/nO5praF6bH8DVIQZKAlTwV7zn0InWogLw/rJ18
        QmP35cHPesOpTwiIUEes7bV1Mrlfx0JgbJl6hwABWDMWUGa7BKQctqhsCorO0MDv
        0Pk7E72SRYBNraPwQQJBAPteoLAgZ0MbG4MXkDNs/FWhlks5vbFubUtUp1BCceki
        CJbBDO9bvUOHEiWEzbzRA4EZROxTMpp14+CLgT8RPTcCQQDvac/HfS5X/fcQiAnB
        cegerd4efTw4GYzYAkqKrGswJuKVYJSHJ8mxXmKzZytaZdJTvl4dvTq8CpYp6nDe
        1QqxAkEAxgdgdCCy+Szr2bTAh6L+j7+DFbRhetzSAZypSxNthgqn1Yw00oTlb8OD
        Skd7hZrsNdJgeAV7QjBJ2+ZLZhIAtQJAZYqnSaDaSw+3/hb0rEs3e+uaTawoIlMT
        3Xn7S52dSKr1Zw2zcS965/N0QUr8pDaTYllXaZ2cj6ydy+FXRettwQJAImRgjlXF
        IernTIWZj7x9SUXi9CKVYgwyux5K7tT71oBXqcBF/HfOsxdh9lpaJY69PgM5dt1I
        k2is5KY6PAE4mA==
        -----END PRIVATE KEY-----
        """
    /// Valid in January 2020 only, signed by itself.
    package static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBDjCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
        MjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS2XBA8jHDsxNXxpjK8prLJdI9i
        lmG/gelY3A0FFyY+HnX2bT9q+24fkq4vOYx5umqnfbhFnjqKdvDJQbdjNTZEMAoG
        CCqGSM49BAMCA0cAMEQCIHtOELnVbJW03f0AxCKGZt2BINrDZSQXzj6huvUAnpUG
        AiB3mltA+EVdx2nYDO4WlMOflg+5Y5Y6aLisBlL1/uyOVw==
        -----END CERTIFICATE-----
        """
    /// The key of the expired one.
    package static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgootvbn1AVZEpq1yB
        YA+k3RQYLN87d9jkiNiUAsSvqv2hRANCAAS2XBA8jHDsxNXxpjK8prLJdI9ilmG/
        gelY3A0FFyY+HnX2bT9q+24fkq4vOYx5umqnfbhFnjqKdvDJQbdjNTZE
        -----END PRIVATE KEY-----
        """
}

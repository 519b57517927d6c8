#!/bin/bash
# Writes Tests/Support/TestCertificates.swift: certificates and keys for tests, good for nothing else.
# They last a hundred years, so this is run again only when a test needs one more.
# Usage: Scripts/make-test-certificates.sh [FOLDER]; with a folder the PEM files are left there and
# nothing else is written.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/Tests/Support/TestCertificates.swift
if [[ $# -gt 0 ]]; then
    folder=$1
    target=
    mkdir -p "$folder"
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
cd "$folder"

cat >openssl.cnf <<'CONFIG'
[req]
distinguished_name = name
prompt = no
[name]
CN = coordd test
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, DNS:coordd.test, IP:127.0.0.1, IP:::1
[ca]
default_ca = past
[past]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
CONFIG

elliptic() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
# sign NAME SUBJECT ISSUER EXTENSIONS: a certificate for NAME.key by ISSUER.
sign() {
    openssl req -new -config openssl.cnf -key "$1.key" -subj "/CN=$2" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA "$3.pem" -CAkey "$3.key" -CAcreateserial -days 36500 -sha256 \
        -extfile openssl.cnf -extensions "$4" -out "$1.pem" 2>/dev/null
}

elliptic root.key
openssl req -x509 -config openssl.cnf -extensions authority -key root.key -days 36500 -sha256 \
    -subj '/CN=coordd test root' -out root.pem
elliptic middle.key
sign middle 'coordd test intermediate' root authority
elliptic server.key
sign server localhost middle server
cat server.pem middle.pem >chain.pem
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key
sign rsa localhost middle server
cat rsa.pem middle.pem >rsa-chain.pem
elliptic next.key
sign next 'coordd test next' middle server
cat next.pem middle.pem >next-chain.pem
openssl pkcs8 -topk8 -in server.key -passout pass:secret -out encrypted.key
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out weak.key
sign weak localhost middle server
elliptic past.key
openssl req -new -config openssl.cnf -key past.key -subj '/CN=localhost' -out past.csr
: >index.txt
echo 01 >serial
openssl ca -batch -notext -selfsign -config openssl.cnf -in past.csr -keyfile past.key \
    -startdate 20200101000000Z -enddate 20200201000000Z -out past.pem 2>/dev/null

[[ -n $target ]] || exit 0
{
    cat <<'SWIFT'
// Written by Scripts/make-test-certificates.sh; these keys protect nothing.

/// Certificates and keys for tests, in PEM; all but the expired one end in a hundred years.
package enum TestCertificates {
SWIFT
    # text NAME FILE MEANING
    text() {
        printf '    /// %s.\n    package static let %s = """\n' "$3" "$1"
        sed 's/^/        /' "$2"
        printf '        """\n'
    }
    text root root.pem 'The root, which clients trust'
    text chain chain.pem 'For localhost, coordd.test and the loopback addresses: P-256, behind an intermediate one'
    text key server.key 'The key of the chain'
    text rsaChain rsa-chain.pem 'The same with RSA'
    text rsaKey rsa.key 'The key of the RSA chain'
    text nextChain next-chain.pem 'What takes the place of the chain'
    text nextKey next.key 'The key of the next chain'
    text encryptedKey encrypted.key 'The key of the chain under a passphrase'
    text weakChain weak.pem 'An RSA key of 1,024 bits'
    text weakKey weak.key 'The key of the weak one'
    text expired past.pem 'Valid in January 2020 only, signed by itself'
    text expiredKey past.key 'The key of the expired one'
    echo '}'
} >"$target"

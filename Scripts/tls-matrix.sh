#!/bin/bash
# Starts the daemon with TLS and asks it for everything that it must grant and must not: versions, suites,
# renegotiation, certificate chain, ALPN, curl. Prints a table; exits with 1 when a row is not as it must be.
# Usage: Scripts/tls-matrix.sh [PROGRAM, default .build/release/coordd]
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-.build/release/coordd}")
folder=$(mktemp -d)
daemon=
finish() {
    [[ -z $daemon ]] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
Scripts/make-test-certificates.sh "$folder/pki"

failed=0
# row RESULT WANTED WHAT: a line of the table.
row() {
    local mark=ok
    if [[ $1 != "$2" ]]; then
        mark="WRONG, wanted $2"
        failed=1
    fi
    printf '%-46s %-34s %s\n' "$3" "$1" "$mark"
}

# start CHAIN KEY: serves with a certificate; sets port.
start() {
    printf '{"data":"%s","drain":{"seconds":0},"tls":{"listen":"127.0.0.1:0","certificate":"%s","key":"%s"}}' \
        "$folder/data" "$folder/pki/$1" "$folder/pki/$2" >"$folder/coordd.json"
    rm -f "$folder/ready" "$folder/ready.tls"
    "$program" serve --config "$folder/coordd.json" --listen 127.0.0.1:0 --log-level error \
        --ready-file "$folder/ready" &
    daemon=$!
    for _ in {1..200}; do
        [[ ! -e $folder/ready ]] || break
        kill -0 "$daemon"
        sleep 0.05
    done
    port=$(sed 's/.*://' "$folder/ready.tls")
}

stop() {
    kill "$daemon"
    wait "$daemon" || true
    daemon=
}

# shake FLAGS…: what comes of a handshake: version and suite, or refused.
shake() {
    local said
    # At security level 0 the client offers what it would not offer by itself.
    said=$(openssl s_client -connect "127.0.0.1:$port" -CAfile "$folder/pki/root.pem" \
        -servername localhost "$@" </dev/null 2>&1) || true
    if [[ $said =~ New,\ (TLSv[0-9.]+),\ Cipher\ is\ ([A-Z0-9_-]+) ]]; then
        echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
    elif [[ $said =~ alert\ (protocol\ version|handshake\ failure)|(no\ application\ protocol) ]]; then
        # The server's own words: a client that refuses by itself proves nothing.
        echo refused
    else
        echo "nothing: ${said:0:60}"
    fi
}

# old FLAG: a version that the client offers with everything it has.
old() { shake "$1" -cipher 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'; }

# suite NAME: a suite of TLS 1.2, alone.
suite() { shake -tls1_2 -cipher "$1:@SECLEVEL=0"; }

# others KIND: all suites of TLS 1.2 that this client has and the server must refuse.
others() {
    openssl ciphers -tls1_2 -s 'ALL:COMPLEMENTOFALL:@SECLEVEL=0' | tr : '\n' |
        grep -vE '^TLS_|^ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)$'
}

printf '%-46s %-34s\n' 'asked for' 'answer'
for certificate in P-256 RSA; do
    if [[ $certificate == P-256 ]]; then
        start chain.pem server.key
        kind=ECDSA
    else
        start rsa-chain.pem rsa.key
        kind=RSA
    fi
    echo "-- certificate: $certificate"
    row "$(old -tls1)" refused 'TLS 1.0'
    row "$(old -tls1_1)" refused 'TLS 1.1'
    row "$(shake -tls1_2)" "TLSv1.2 ECDHE-$kind-AES128-GCM-SHA256" 'TLS 1.2'
    row "$(shake -tls1_3)" 'TLSv1.3 TLS_AES_128_GCM_SHA256' 'TLS 1.3'
    row "$(shake)" 'TLSv1.3 TLS_AES_128_GCM_SHA256' 'any version'
    for name in AES128-GCM-SHA256 AES256-GCM-SHA384 CHACHA20-POLY1305; do
        row "$(suite "ECDHE-$kind-$name")" "TLSv1.2 ECDHE-$kind-$name" "1.2, only ECDHE-$kind-$name"
    done
    for name in TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256; do
        row "$(shake -tls1_3 -ciphersuites "$name")" "TLSv1.3 $name" "1.3, only $name"
    done
    row "$(shake -tls1_3 -ciphersuites TLS_AES_128_CCM_SHA256)" refused '1.3, only TLS_AES_128_CCM_SHA256'
    # The server's preference wins over the client's, but for a client without AES in hardware.
    row "$(suite "ECDHE-$kind-AES256-GCM-SHA384:ECDHE-$kind-AES128-GCM-SHA256")" \
        "TLSv1.2 ECDHE-$kind-AES128-GCM-SHA256" '1.2, AES256 before AES128'
    for name in $(others); do row "$(suite "$name")" refused "1.2, only $name"; done

    if [[ $certificate == P-256 ]]; then
        said=$(openssl s_client -connect "127.0.0.1:$port" -CAfile "$folder/pki/root.pem" -showcerts \
            -verify_return_error -verify_hostname localhost -alpn h2,http/1.1 </dev/null 2>&1) || true
        row "$(grep -c 'BEGIN CERTIFICATE' <<<"$said")" 2 'certificates sent'
        row "$(grep -o 'Verify return code: 0 (ok)' <<<"$said" | head -1)" 'Verify return code: 0 (ok)' \
            'the chain leads to the root'
        row "$(grep -o 'ALPN protocol: .*' <<<"$said")" 'ALPN protocol: http/1.1' 'ALPN h2, http/1.1'
        row "$(shake -alpn h2)" refused 'ALPN h2 only'
        row "$(grep -o 'Compression: NONE' <<<"$said" | head -1)" 'Compression: NONE' 'compression'
        said=$( (echo R; sleep 1) | openssl s_client -connect "127.0.0.1:$port" -tls1_2 2>&1) || true
        row "$(grep -o 'no renegotiation' <<<"$said" | head -1)" 'no renegotiation' '1.2, renegotiation by the client'
        row "$(grep -o 'Secure Renegotiation IS supported' <<<"$said" | head -1)" \
            'Secure Renegotiation IS supported' '1.2, RFC 5746'
        openssl s_client -connect "127.0.0.1:$port" -tls1_2 -sess_out "$folder/session" </dev/null >/dev/null 2>&1 || true
        said=$(openssl s_client -connect "127.0.0.1:$port" -tls1_2 -sess_in "$folder/session" </dev/null 2>&1) || true
        row "$(grep -oE '^(Reused|New)' <<<"$said" | head -1)" Reused '1.2, a session taken up again'
        if command -v curl >/dev/null; then
            row "$(curl -s --cacert "$folder/pki/root.pem" "https://localhost:$port/healthz")" \
                '{"status":"ready"}' 'curl --cacert https://…/healthz'
            row "$(curl -s --cacert "$folder/pki/root.pem" --resolve "example.org:$port:127.0.0.1" \
                "https://example.org:$port/healthz" || echo "curl ends with $?")" 'curl ends with 60' \
                'curl, another name'
            row "$(curl -s "https://localhost:$port/healthz" || echo "curl ends with $?")" \
                'curl ends with 60' 'curl, without the root'
            row "$(curl -s -o /dev/null -w '%{http_code}' "http://localhost:$port/healthz")" 400 \
                'curl http:// on the port of TLS'
        else
            printf '%-46s %s\n' 'curl' 'skipped: it is not installed'
        fi
    fi
    stop
done
exit "$failed"

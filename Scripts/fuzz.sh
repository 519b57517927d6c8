#!/bin/bash
# Builds the fuzzers of Tests/Fuzz with libFuzzer and the address sanitizer and runs each for a while.
# Usage: Scripts/fuzz.sh [SECONDS each, default 600]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
build=.build/fuzz
mkdir -p "$build"

swift=(swiftc -parse-as-library -package-name coordd -swift-version 6 -O -sanitize=fuzzer,address -wmo)
# The fuzzers look inside the core, so they are compiled as one module with it.
swiftc -parse-as-library -package-name coordd -swift-version 6 -O -emit-module -emit-object -wmo \
    -module-name Security -I Sources/COpenSSL \
    -emit-module-path "$build/Security.swiftmodule" -o "$build/Security.o" Sources/Security/*.swift
mapfile -t core < <(find Sources/Coordinator -name '*.swift')

for fuzzer in ${FUZZERS:-FuzzCommand FuzzSession FuzzHTTP FuzzWebSocket FuzzProtobuf FuzzBridge FuzzPatch FuzzAmount FuzzToken FuzzTLS}; do
    echo "building $fuzzer"
    sources=("${core[@]}")
    [[ $fuzzer != FuzzTLS ]] || sources=(Sources/TLS/*.swift Tests/Support/TestCertificates.swift)
    "${swift[@]}" -module-name "$fuzzer" -I "$build" -I Sources/COpenSSL "${sources[@]}" \
        "Tests/Fuzz/$fuzzer.swift" "$build/Security.o" -lcrypto -lm -o "$build/$fuzzer" 2>"$build/$fuzzer.log" || {
        cat "$build/$fuzzer.log" >&2
        exit 1
    }
    mkdir -p "$build/$fuzzer.corpus"
    echo "running $fuzzer for $seconds s"
    "$build/$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=25 -print_final_stats=1 \
        -artifact_prefix="$build/$fuzzer-" "$build/$fuzzer.corpus" "Tests/Fuzz/$fuzzer.seeds" 2>&1 |
        grep -E 'ERROR|SUMMARY|Fatal|number_of_executed|crash|Test unit written' || true
    # The pipe hides the fuzzer's own end, so what it found is looked for.
    if [[ -n $(find "$build" -maxdepth 1 -name "$fuzzer-*-*") ]]; then
        echo "$fuzzer found something: see $build" >&2
        exit 1
    fi
done

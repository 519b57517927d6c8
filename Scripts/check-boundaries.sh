#!/bin/bash
# Names every line that crosses a boundary of the architecture; silent when there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0

# forbid RULE PATTERN PATH…: no Swift file below the paths may have a line that matches, comments aside.
forbid() {
    local rule=$1 pattern=$2 found
    shift 2
    found=$(grep -rnE --include='*.swift' -- "$pattern" "$@" | grep -vE '^[^:]*:[0-9]*:[[:space:]]*//' || true)
    if [[ -n $found ]]; then
        printf 'boundary: %s\n%s\n' "$rule" "$found" >&2
        failed=1
    fi
}

# others FOLDER: every source folder but this one, since a rule holds everywhere else.
others() {
    find Sources Tests -type d -path "$1" -prune -o -type f -name '*.swift' -print
}

import='^[[:space:]]*((@[A-Za-z_()]+|public|package|internal|fileprivate|private)[[:space:]]+)*import[[:space:]]+'
kinds='((struct|class|enum|protocol|func|let|var|typealias)[[:space:]]+)?'

mapfile -t elsewhere < <(others Sources/Actors/LibUV)
forbid 'CLibUV is imported in Sources/Actors/LibUV only' "$import${kinds}CLibUV\>" "${elsewhere[@]}"
mapfile -t elsewhere < <(others Sources/Security)
forbid 'COpenSSL is imported in Sources/Security only' "$import${kinds}COpenSSL\>" "${elsewhere[@]}"

pure=(Sources/Coordinator Sources/Security)
forbid 'the pure targets import nothing of the operating system' \
    "$import$kinds(Glibc|Musl|Darwin|Foundation[A-Za-z]*|Dispatch|Synchronization)\>" "${pure[@]}"
forbid 'the pure targets have no clock, no randomness and no tasks' \
    '\<(ContinuousClock|SuspendingClock|clock_gettime|gettimeofday|SystemRandomNumberGenerator|Task|async|await)\>|\.random\(|\.shuffled\(\)' \
    "${pure[@]}"

all=(Sources Tests)
forbid 'no @unchecked Sendable' '@unchecked[[:space:]]+Sendable' "${all[@]}"
forbid 'no try!' '\<try!' "${all[@]}"
# Texts in quotes may end in an exclamation mark, so lines with quotes are left to the formatter's
# rule NeverForceUnwrap, which reads the syntax but not the tests.
forbid 'no forced unwrap' '^[^"]*[])A-Za-z0-9_>}]!([].,:;)?[:space:]]|$)' "${all[@]}"

exit "$failed"

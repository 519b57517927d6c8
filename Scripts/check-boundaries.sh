#!/bin/bash
# Names every line that crosses a boundary of the architecture; silent when there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
import='^[[:space:]]*((@[A-Za-z_()]+|public|package|internal|fileprivate|private)[[:space:]]+)*import[[:space:]]+'
import+='((struct|class|enum|protocol|func|let|var|typealias)[[:space:]]+)?'

# lines PATTERN PATH…: the lines of Swift files that match, as path:line:text, without comments.
lines() {
    local pattern=$1
    shift
    grep -rHnE --include='*.swift' -e "$pattern" -- "$@" |
        grep -vE '^[^:]*:[0-9]+:[[:space:]]*//' || true
}

# report RULE LINES: fails the check when there are lines.
report() {
    if [[ -n $2 ]]; then
        printf 'boundary: %s\n%s\n' "$1" "$2" >&2
        failed=1
    fi
}

# allow FOLDER MODULE…: files below the folder import no other modules.
allow() {
    local folder=$1 modules found
    shift
    modules=$(IFS='|' && echo "$*")
    found=$(lines "$import" "$folder" | grep -vE "import[[:space:]]+([a-z]+[[:space:]]+)?($modules)\>" || true)
    report "$folder imports only: $*" "$found"
}

# only FOLDER… MODULE: no file outside the folders imports the module.
only() {
    local module=${!#} folders
    folders=$(IFS='|' && echo "${*:1:$#-1}")
    report "$module is imported in $folders only" \
        "$(lines "$import$module\>" Sources Tests | grep -vE "^($folders)/" || true)"
}

# includes FOLDER HEADER…: C files below the folder include no other headers.
includes() {
    local folder=$1 headers found
    shift
    headers=$(IFS='|' && echo "$*")
    found=$(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' -- "$folder" |
        grep -vE "include[[:space:]]+[<\"]($headers)[>\"]" || true)
    report "$folder includes only: $*" "$found"
}

# modules FOLDER MODULE…: Python files below the folder import no other modules.
modules() {
    local folder=$1 names found
    shift
    names=$(IFS='|' && echo "$*")
    found=$(grep -rnE --include='*.py' '^[[:space:]]*(import|from)[[:space:]]' -- "$folder" |
        grep -vE ":(import|from)[[:space:]]+($names)([[:space:].]|\$)" || true)
    report "$folder imports only: $*" "$found"
}

# The package manager's own check of imports lets dependencies of dependencies pass.
allow Sources/Security COpenSSL
allow Sources/TLS COpenSSL
allow Sources/Coordinator Security
allow Sources/Actors Coordinator Security TLS CLibUV CSQLite Glibc Synchronization Distributed
# Dispatch: a thread for reading standard input, which blocks.
allow Sources/coordd Actors Coordinator Glibc Synchronization Dispatch
only Sources/Actors/LibUV CLibUV
only Sources/Actors/SQLite CSQLite
only Sources/Security Sources/TLS COpenSSL

# What is measured against must not use what is measured, and the load must not use its library.
c='std[a-z]+\.h|errno\.h|string\.h|time\.h|unistd\.h|fcntl\.h|signal\.h|sys/[a-z]+\.h'
includes Benchmarks/Floor 'floor\.h' 'uv\.h' "$c"
includes Benchmarks/Load 'load\.h' "$c" 'arpa/inet\.h' 'netinet/[a-z]+\.h'
modules Benchmarks/Runner bench chart console counts peers processes scaling soak sweep workloads argparse \
    contextlib csv dataclasses json math os pathlib platform re resource shutil signal socket statistics \
    subprocess sys tempfile threading time typing unittest urllib xml
allow Benchmarks/Store Actors Coordinator Security Glibc
allow Benchmarks/Micro Actors Coordinator Security Glibc
report 'Swift in Benchmarks is in Store and Micro only: give the imports of more a rule here' \
    "$(find Benchmarks -name '*.swift' -not -path 'Benchmarks/Store/*' -not -path 'Benchmarks/Micro/*')"

outside='ContinuousClock|SuspendingClock|clock_gettime|gettimeofday|SystemRandomNumberGenerator'
report 'the pure targets have no clock, no randomness and no tasks' "$(
    lines "\<($outside|Task|async|await)\>|\.random\(|\.shuffled\(\)|\.randomElement\(\)" \
        Sources/Coordinator Sources/Security Sources/TLS
)"

report 'no @unchecked Sendable' "$(lines '@unchecked[[:space:]]+Sendable' Sources Tests)"
report 'no try!' "$(lines '\<try!' Sources Tests)"
# The formatter's rule NeverForceUnwrap reads the syntax; this catches what it is told to ignore.
# Lines with quotes are left to it: a text may end in an exclamation mark.
report 'no forced unwrap' "$(lines '^[^"]*[])A-Za-z0-9_>}]!([].,:;)?[:space:]]|$)' Sources Tests)"

exit "$failed"

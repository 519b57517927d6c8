#!/bin/bash
# Has the daemon die right before its 1st, 2nd, 3rd … system call of each kind that its store makes,
# and lets `coordd simulate --chaos` check what survived. strace counts the calls of each thread.
# Usage: Scripts/crash-calls.sh [BOUND, default 20] [CALL or CALL@FILE of the data folder…]
# COORDD names the program.
set -euo pipefail
cd "$(dirname "$0")/.."
bound=${1:-20}
shift || true
calls=("$@")
[[ ${#calls[@]} -gt 0 ]] || calls=(
    fdatasync pwrite64 write ftruncate unlink fsync rename
    # The database itself is written when it is made and at checkpoints, so also at the end.
    {pwrite64,fdatasync,ftruncate}@sessions.sqlite
)
coordd=${COORDD:-.build/release/coordd}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0 crashes=0 events=0 failures=0

if ! command -v strace >/dev/null; then
    echo "crash: no 'strace'; install the package strace" >&2
    exit 1
fi

# The command that has the daemon die before call number $2 of kind $1.
wrapper() {
    local call=${1%@*} file=""
    [[ $1 != *@* ]] || file="-P {data}/${1#*@}"
    echo "strace -f -qq -o $work/trace $file -e trace=$call -e inject=$call:signal=KILL:when=$2"
}

field() { # the number of a member in the last summary
    grep -o "\"$1\":[0-9]*" "$work/summary" | head -n 1 | cut -d: -f2
}

# Plays against daemons that are started through the commands given; the seed is the run's number.
# Sets died to how many of them died by their call.
play() {
    local name=$1 code=0
    shift
    runs=$((runs + 1))
    COORDD_SIMULATE_WRAPPERS=$(printf '%s\n' "$@") "$coordd" simulate --chaos --kills 0 \
        --sessions 2 --mirrors 1 --seconds 4 --seed "$runs" --json \
        >"$work/summary" 2>"$work/notes" || code=$?
    died=$(field crashes || echo 0)
    local accepted again
    accepted=$(field accepted || echo 0) again=$(field duplicates || echo 0)
    crashes=$((crashes + died)) events=$((events + accepted))
    echo "$name: $died of $# died, $accepted events acknowledged, $again known again"
    if [[ $code -ne 0 ]]; then
        failures=$((failures + 1))
        echo "FAILED with code $code, seed $runs:" >&2
        cat "$work/notes" >&2
        # The violations in words, or whatever came in place of a summary.
        grep -o '"problems":.*' "$work/summary" >&2 || cat "$work/summary" >&2
    fi
}

# A dying process loses none of what the kernel has, so deaths alone would not show an answer that
# does not wait for the disk: with a slow disk, answers must be as slow.
slow=200
play "fdatasync slowed by $slow ms" \
    "strace -f -qq -o $work/trace -e trace=fdatasync -e inject=fdatasync:delay_exit=${slow}000"
answers=$(grep -o '"toAnswers":{"samples":[0-9]*,"p50":[0-9]*' "$work/summary" | sed 's/.*://')
echo "half of the answers took ${answers:=0} ms and more"
if [[ $answers -lt $slow ]]; then
    failures=$((failures + 1))
    echo "FAILED: answers do not wait for fdatasync" >&2
fi

for call in "${calls[@]}"; do
    for ((n = 1; n <= bound; n++)); do
        play "$call $n" "$(wrapper "$call" "$n")"
        # Later ones are not made in this time.
        [[ $died -gt 0 ]] || break
    done
done

# Two in a row: the second while the journal of the first is taken over, or soon after.
for call in "${calls[@]}"; do
    [[ $call == fdatasync || $call == pwrite64* ]] || continue
    for ((n = 2; n <= bound; n += 3)); do
        for second in 1 2 $n; do
            play "$call $n, then $call $second" "$(wrapper "$call" "$n")" \
                "$(wrapper "$call" "$second")"
        done
    done
done

echo "$runs runs, $crashes crashes, $events events acknowledged, $failures failures"
[[ $failures -eq 0 ]]

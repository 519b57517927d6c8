#!/bin/bash
# Prints the instructions of one event in the pure core, and the functions that take most of them.
# Counts two runs of different length under callgrind; the difference is free of start-up.
set -euo pipefail
cd "$(dirname "$0")/.."

program=.build/release/bench-micro
few=2000
many=12000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions EVENTS: counts a run and keeps its profile.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file="$work/$1.out" "$program" "${OPERATION:-all}" "$1" \
        >"$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; return 1; }
    sed -n 's/^summary: *//p' "$work/$1.out"
}

echo "counting $few and $many events under callgrind"
first=$(instructions "$few")
second=$(instructions "$many")
echo "instructions per event: $(((second - first) / (many - few)))"
echo "the functions that take most of them, without what they call:"
callgrind_annotate "$work/$many.out" | sed -n '/Ir.*file:function/,$p' |
    sed -n 's/^ *\([0-9,]* ([ 0-9.]*%)\).*:\([^ ].*\)$/\1  \2/p' |
    sed 's/ \[[^]]*\]$//' | swift demangle --compact | cut -c1-140 | sed -n "1,${TOP:-20}p"

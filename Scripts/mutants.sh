#!/bin/bash
# Breaks a rule on purpose, one at a time, and checks that some test notices. Each patch of
# Tests/Mutants is applied to a copy of the sources, which is built and tested until the first
# failure. The first run builds everything; later ones build what changed.
# Usage: Scripts/mutants.sh [NAME of a patch, without .patch…]
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/mutants
tree=$work/tree
log=$work/log
# Seconds for the tests of one mutant, which may never end.
bound=300
filter='^(CoordinatorTests\.|CoorddTests\.GoldenTranscriptTests)'
mkdir -p "$tree"

mutants=()
for name in "$@"; do mutants+=("Tests/Mutants/$name.patch"); done
[[ $# -gt 0 ]] || mutants=(Tests/Mutants/*.patch)

# A file that did not change keeps its time, so that it is not built again.
git ls-files -co --exclude-standard | LC_ALL=C sort >"$work/files"
while read -r file; do
    [[ ! -f $file ]] || cmp -s "$file" "$tree/$file" || cp -p --parents "$file" "$tree"
done <"$work/files"
(cd "$tree" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) |
    LC_ALL=C comm -13 "$work/files" - | while read -r file; do rm "$tree/$file"; done

change() { # applies a patch, or with -R takes it back
    patch -s -p1 -F0 -N --no-backup-if-mismatch -d "$tree" "${@:2}" <"$1"
}

build() {
    swift build --build-tests --package-path "$tree" --scratch-path "$work/build" >"$log" 2>&1
}

# Runs the tests; prints the first failure, or nothing when all hold.
first_failure() {
    local code=0 line
    # When grep has what it wants, the tests die of the closed pipe.
    line=$(cd "$tree" && {
        timeout -k 5 "$bound" "$work"/build/debug/*PackageTests.xctest \
            --testing-library swift-testing --filter "$filter" 2>&1 || echo "ended with $?"
    } | tee "$work/tests" | grep -a -m 1 -E 'recorded an issue|^ended with') || code=$?
    [[ $code -le 1 || -n $line ]] || { cat "$work/tests" >&2; exit 1; }
    sed -E 's/.*Test "(.*)" recorded an issue( with [0-9]+ arguments? (.*))? at ([A-Za-z+]*)\.swift.*/\4: \1 \3/; s/.*Test (.*) recorded an issue( with [0-9]+ arguments? (.*))? at ([A-Za-z+]*)\.swift.*/\4: \1 \3/' \
        <<<"$line" | cut -c 1-110
}

for mutant in "${mutants[@]}"; do
    change "$mutant" --dry-run || {
        echo "$mutant does not apply: the rule has changed, so must the patch" >&2
        exit 1
    }
done

echo "building ${#mutants[@]} mutants in $work, the sources as they are first"
build || { tail -n 20 "$log" >&2; exit 1; }
failure=$(first_failure)
[[ -z $failure ]] || { echo "without a mutant: $failure" >&2; exit 1; }

table=() survivors=0 number=0
for mutant in "${mutants[@]}"; do
    name=$(basename "$mutant" .patch)
    number=$((number + 1)) start=$SECONDS
    change "$mutant"
    if build; then
        failure=$(first_failure)
    else
        grep -a -m 3 error: "$log" >&2 || tail -n 5 "$log" >&2
        echo "$name does not build" >&2
        exit 1
    fi
    change "$mutant" -R
    [[ -n $failure ]] || { failure="SURVIVED" survivors=$((survivors + 1)); }
    table+=("$name	$failure")
    echo "$number/${#mutants[@]} $name: $failure ($((SECONDS - start)) s)"
done

echo
printf '%s\n' "mutant	caught by" "${table[@]}" | expand -t 32
[[ $survivors -eq 0 ]] || { echo "$survivors survived" >&2; exit 1; }

#!/bin/bash
# Stops the daemon after each system call with which it changes files during a commit, a snapshot, a
# trim, a checkpoint, a stop, a start, a deletion by age, a migration and a salvage, and looks what a
# crash there would leave: a daemon started on a copy of the folder must know all that anybody was
# told. Then the same for a second crash, at each call of the start after the first one; and starts
# in which a call fails.
# Usage: Scripts/crash-points.sh [--bound 30] [--pairs 25] [--seed N] [--control] [OPERATION…]
# COORDD names the program.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v strace >/dev/null; then
    echo "crash-points: no 'strace'; install the package strace" >&2
    exit 1
fi
# In memory: what is asked here is not the disk's affair.
folder=/dev/shm
[[ -d $folder && -w $folder ]] || folder=${TMPDIR:-/tmp}
work=$(mktemp -d "$folder/coordd-crash-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
python3 Scripts/crash/crash_points.py "$work" "$@"

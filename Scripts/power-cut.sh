#!/bin/bash
# Cuts the power of the disk that a daemon under load writes to, and checks that nothing that was
# acknowledged or seen is lost. The data folder is on an ext4 file system in a file, mounted through
# a loop device. At a random moment the daemon is stopped and the file copied: what the kernel has
# not handed to the device by then is not in the copy. A daemon started on the copy must know every
# revision, answer and id that anybody had been told of.
# Usage: Scripts/power-cut.sh [--cuts 20] [--seed N] [--seconds 2.5] [--control]
# --control: the calls that make data durable do nothing; then the check has to find losses.
# COORDD names the program. Where no file can be mounted it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "power-cut: skipped: $1"
    exit 0
}

[[ $(id -u) -eq 0 ]] || skip "mounting a file needs root"
for program in mkfs.ext4 losetup findmnt; do
    command -v "$program" >/dev/null || skip "there is no $program"
done
work=$(mktemp -d)

clean() {
    # What the program has left when it was ended.
    mount | awk -v work="$work/" 'index($3, work) == 1 { print $3 }' | while read -r folder; do
        for pid in $(fuser -m "$folder" 2>/dev/null); do kill -KILL "$pid" || true; done
        umount "$folder" || umount -l "$folder" || true
    done
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

truncate -s 16M "$work/try"
mkfs.ext4 -q "$work/try"
mkdir "$work/tried"
mount -o loop "$work/try" "$work/tried" 2>"$work/reason" || skip "$(cat "$work/reason")"
umount "$work/tried"

# A bound in time for all of it.
timeout -k 10 "${SECONDS_AT_MOST:-600}" python3 Scripts/crash/power_cut.py "$work" "$@"

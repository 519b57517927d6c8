#!/bin/bash
# Fills the disk that a daemon under load writes to, kills it there, starts it again, makes room
# again, and checks that nothing that was acknowledged is lost. The data folder is on an ext4 file
# system in a file, mounted through a loop device.
# Usage: Scripts/full-disk.sh [SECONDS of load in each part, default 3]
# COORDD names the program. Where no file can be mounted it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "full-disk: skipped: $1"
    exit 0
}

[[ $(id -u) -eq 0 ]] || skip "mounting a file needs root"
for program in mkfs.ext4 mount python3 prlimit; do
    command -v "$program" >/dev/null || skip "there is no $program"
done

work=$(mktemp -d)
disk=$work/disk

clean() {
    local pid
    # Daemons that the program left when it was ended.
    while read -r pid; do
        [[ $(cat "/proc/$pid/comm" 2>/dev/null) != coordd ]] || kill -KILL "$pid" || true
    done < <(cat "$work/pids" 2>/dev/null)
    if mountpoint -q "$disk"; then umount "$disk" || umount -l "$disk" || true; fi
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

mkdir "$disk"
truncate -s 288M "$work/image"
# Nothing is kept back for root, whom the daemon may run as.
mkfs.ext4 -q -m 0 "$work/image"
# The loop device goes with the mount.
mount -o loop "$work/image" "$disk" 2>"$work/reason" || skip "$(cat "$work/reason")"

timeout --kill-after=5 85 \
    python3 Scripts/full_disk.py "${COORDD:-.build/release/coordd}" "$disk" "$work" "${1:-3}"

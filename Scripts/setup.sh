#!/bin/bash
# Installs the Debian packages that building, testing and running coordd need.
# Does nothing, and needs neither root nor a network, when all of them are there.
# Packages named as arguments are installed too.
set -euo pipefail

packages=(
    # The C libraries that coordd is linked with, and how the package manager finds them.
    libuv1-dev libssl-dev libsqlite3-dev pkg-config
    # What the Swift toolchain compiles against and links with.
    binutils libc6-dev libgcc-12-dev libstdc++-12-dev
    # Shared libraries of the toolchain's own programs.
    libcurl4 libncurses6 libsqlite3-0 libxml2
    # The demonstration talks to the daemon with a plain TCP client.
    netcat-openbsd
    # The benchmark's runner.
    python3
)
packages+=("$@")

if ! command -v swift >/dev/null; then
    echo "setup: no 'swift' in PATH; install the Swift 6.3 toolchain first" >&2
    exit 1
fi
if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; the packages are: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null || true)
    [[ $status == *installed* && $status != *not-installed* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

echo "setup: installing ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: neither root nor sudo; install as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y install --no-install-recommends "${missing[@]}")
# The package lists of a fresh machine are missing or too old: fetch them only when needed.
"${install[@]}" || { "${as_root[@]}" apt-get -q update && "${install[@]}"; }

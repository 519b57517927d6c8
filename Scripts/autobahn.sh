#!/bin/bash
# Runs Autobahn|Testsuite's cases for servers against .build/release/echo-server.
# Usage: Scripts/autobahn.sh [CASES …, default the groups 1 to 7 and 10; such as 6.* or 7.5.1]
#
# The suite exists for Python 2.7 only. Where there is none, Debian's is unpacked into .build/autobahn
# from its last release that had one, and nothing is installed; its signature is checked as always.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/.build/autobahn
suite=autobahntestsuite==25.10.1
mkdir -p "$root"

skip() {
    echo "autobahn: skipped: $*" >&2
    exit 0
}

# works COMMAND…: whether it is a Python 2.7 with what the suite imports.
works() { "$@" -c 'import sys, ssl, ctypes, zlib; sys.exit(sys.version_info[:2] != (2, 7))' 2>/dev/null; }

# unpack: Python 2.7 of Debian 11, which runs on later ones beside the two libraries it needs.
unpack() {
    local apt=(-q -o "Dir::Etc::sourcelist=$root/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$root/lists" -o "Dir::Cache=$root/cache" -o Dir::State::status=/dev/null
        -o APT::Sandbox::User="$(id -un)")
    local packages=(python2.7-minimal libpython2.7-minimal libpython2.7-stdlib libpython2.7-dev
        libssl1.1 libffi7)
    mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/packages"
    # Where this machine gets its packages from, then where old releases are kept.
    local places
    places=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u)
    for place in $places http://archive.debian.org/debian; do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $place bullseye main" \
            >"$root/sources.list"
        apt-get "${apt[@]}" update >"$root/apt.log" 2>&1 &&
            (cd "$root/packages" && apt-get "${apt[@]}" download "${packages[@]}") \
                >>"$root/apt.log" 2>&1 || continue
        for package in "$root"/packages/*.deb; do dpkg-deb -x "$package" "$root/debian"; done
        return 0
    done
    return 1
}

python=()
for candidate in python2.7 pypy pypy2; do
    if [[ ${#python[@]} -eq 0 ]] && works "$candidate"; then python=("$candidate"); fi
done
if [[ ${#python[@]} -eq 0 ]]; then
    library=$(echo "$root"/debian/usr/lib/*-linux-gnu)
    if [[ ! -x $root/debian/usr/bin/python2.7 ]]; then
        command -v apt-get dpkg-deb >/dev/null || skip "no python2.7, no pypy, and no apt-get to get one"
        unpack || skip "no python2.7, no pypy, and Debian 11's could not be fetched: $root/apt.log"
        library=$(echo "$root"/debian/usr/lib/*-linux-gnu)
    fi
    python=(env "LD_LIBRARY_PATH=$library" "$root/debian/usr/bin/python2.7")
    works "${python[@]}" || skip "Debian 11's python2.7 does not run here"
    # Some of what the suite needs is compiled; the headers lie beside the interpreter.
    export CFLAGS="-fPIC -I$root/debian/usr/include -I$root/debian/usr/include/python2.7"
fi
export CC=clang LDSHARED='clang -shared' PYTHONDONTWRITEBYTECODE=1

if [[ ! -e $root/installed-$suite ]]; then
    echo "autobahn: installing $suite for $("${python[@]}" -V 2>&1)"
    # The last releases for Python 2.7, fetched by today's pip.
    python3 -c 'import ensurepip, venv' 2>/dev/null || Scripts/setup.sh python3-venv
    [[ -x $root/fetch/bin/pip ]] || python3 -m venv "$root/fetch"
    "$root/fetch/bin/pip" --quiet --disable-pip-version-check download --no-deps \
        --dest "$root/wheels" pip==20.3.4 setuptools==44.1.1 wheel==0.37.1
    rm -rf "$root/tools" "$root/library"
    "${python[@]}" "$root/wheels/pip-20.3.4-py2.py3-none-any.whl/pip" --quiet --no-python-version-warning install \
        --target "$root/tools" "$root"/wheels/*.whl
    PYTHONPATH=$root/tools "${python[@]}" -m pip --quiet --no-python-version-warning install \
        --target "$root/library" "$suite"
    touch "$root/installed-$suite"
fi

coproc echo { exec .build/release/echo-server; }
read -r port <&"${echo[0]}"
cases=("$@")
[[ ${#cases[@]} -gt 0 ]] || cases=('1.*' '2.*' '3.*' '4.*' '5.*' '6.*' '7.*' '10.*')
rm -rf "$root/reports"
python3 - "$root" "$port" "${cases[@]}" <<'PYTHON'
import json, sys
root, port, *cases = sys.argv[1:]
server = {"agent": "coordd", "url": f"ws://127.0.0.1:{port}/connection/websocket"}
json.dump(
    {"outdir": f"{root}/reports", "servers": [server], "cases": cases, "exclude-cases": []},
    open(f"{root}/spec.json", "w"))
PYTHON
# What pip installed aside is found only when its folder is added as a site's.
"${python[@]}" -c "
import site, sys
site.addsitedir('$root/library')
sys.argv = ['wstest', '--mode', 'fuzzingclient', '--spec', '$root/spec.json']
from autobahntestsuite.wstest import run
run()" >"$root/log" 2>&1 || {
    tail -20 "$root/log" >&2
    exit 1
}
exec python3 Tests/Clients/autobahn.py "$root/reports/index.json"

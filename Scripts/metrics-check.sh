#!/bin/bash
# Has Prometheus' own promtool check /metrics of a daemon under load.
# Usage: Scripts/metrics-check.sh; needs .build/release/coordd
set -euo pipefail
cd "$(dirname "$0")/.."
command -v curl >/dev/null || Scripts/setup.sh curl
promtool=$(command -v promtool || true)
if [[ -z $promtool ]]; then
    # The package would start a service of its own when it is installed: only its program is wanted.
    promtool=$PWD/.build/prometheus/usr/bin/promtool
    if [[ ! -x $promtool ]]; then
        mkdir -p .build/prometheus
        as_root=()
        [[ $(id -u) -eq 0 ]] || as_root=(sudo)
        download=(apt-get -q -o "APT::Sandbox::User=$(id -un)" download prometheus)
        (cd .build/prometheus && { "${download[@]}" ||
            { "${as_root[@]}" apt-get -q update && "${download[@]}"; }; })
        dpkg-deb -x .build/prometheus/prometheus_*.deb .build/prometheus
    fi
fi

folder=$(mktemp -d)
coproc daemon {
    exec env XDG_CONFIG_HOME="$folder/config" .build/release/coordd serve \
        --listen 127.0.0.1:0 --data "$folder/data" 2>&1
}
process=$daemon_PID
trap 'kill "$process" 2>/dev/null || true; wait "$process" 2>/dev/null || true; rm -rf "$folder"' EXIT
address=
while [[ -z $address ]] && read -r line <&"${daemon[0]}"; do
    address=$(sed -n 's/.*"message":"listening".*"address":"\([^"]*\)".*/\1/p' <<<"$line")
done
[[ -n $address ]] || { echo "metrics-check: the daemon did not start" >&2; exit 1; }

.build/release/coordd simulate --connect "$address" --sessions 5 --mirrors 2 --seconds 3 >/dev/null
curl --silent --show-error --fail --noproxy '*' "http://$address/metrics" >"$folder/metrics"
"$promtool" check metrics <"$folder/metrics"
echo "metrics-check: $(grep -c '^# TYPE' "$folder/metrics") families," \
    "$(grep -vc '^#' "$folder/metrics") series; promtool $("$promtool" --version 2>&1 | sed -n 's/.*version \([^ ]*\).*/\1/p') finds no fault"

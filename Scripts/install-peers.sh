#!/bin/bash
# Installs the servers that coordd is measured beside. Debian starts what it installs: not here, since
# the benchmark starts its own, on ports of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in redis-server nats-server mosquitto nginx; do
    command -v "$program" >/dev/null || missing=1
done
[[ -f /usr/lib/nginx/modules/ngx_nchan_module.so ]] || missing=1
[[ -n ${missing:-} ]] || exit 0

policy=/usr/sbin/policy-rc.d
if [[ $(id -u) -eq 0 && ! -e $policy ]]; then
    # Debian's way to say that nothing is to be started (invoke-rc.d, exit code 101).
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
Scripts/setup.sh redis-server nats-server mosquitto nginx-light libnginx-mod-nchan

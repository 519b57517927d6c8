#!/bin/bash
# Runs clients that others have made against .build/release/coordd: the Python SDK, websockets, curl,
# openssl s_client.
# Installs them into .build/clients.
# Usage: Scripts/clients.sh [WORD …], see Tests/Clients/run.py
#        Scripts/clients.sh --restart [ARGUMENT …], see Tests/Clients/restart.py
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.build/clients

missing=()
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
for program in curl openssl; do command -v "$program" >/dev/null || missing+=("$program"); done
[[ ${#missing[@]} -eq 0 ]] || Scripts/setup.sh "${missing[@]}"
[[ -x $environment/bin/pip ]] || python3 -m venv "$environment"
"$environment/bin/pip" --quiet --disable-pip-version-check install -r Tests/Clients/requirements.txt
program=run.py
if [[ ${1:-} == --restart ]]; then
    program=restart.py
    shift
fi
PYTHONDONTWRITEBYTECODE=1 exec "$environment/bin/python" "Tests/Clients/$program" "$@"

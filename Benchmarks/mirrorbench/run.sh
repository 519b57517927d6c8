#!/bin/sh
# usage: run.sh PORT DIR [memory|durable] — coordd as a peer, in the foreground; DIR is a scratch folder.
# Runs $COORDD, or this repository's release build.
set -e
here=$(cd "$(dirname "$0")" && pwd)
case ${3:-memory} in
    memory) durability=memory ;;
    durable) durability=commit ;;
    *) echo "run.sh: the third argument is memory or durable" >&2; exit 2 ;;
esac
export COORDD_DURABILITY=$durability COORDD_LIMITS_EVENTS_PER_SECOND=1000000 COORDD_LOOPS=1
# The key for secrets belongs to the run.
export XDG_CONFIG_HOME="$2" XDG_STATE_HOME="$2"
exec "${COORDD:-$here/../../.build/release/coordd}" serve --listen "127.0.0.1:$1" --data "$2/data"

"""Looks at a data folder after each system call that changed it. See crash-points.sh.

A process that is killed loses nothing that it gave to the kernel, so what a crash after a system
call leaves is what the folder holds then. The daemon is stopped there, the folder copied, and a
daemon started on the copy.
"""

import argparse
import random
import shutil
import signal
import sys
import time

from operations import OPERATIONS
from walk import Walk
from wire import Failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("operations", nargs="*")
    parser.add_argument("--bound", type=int, default=30,
                        help="calls of an operation that are all looked at, before fewer are")
    parser.add_argument("--pairs", type=int, default=25,
                        help="a second crash follows after every so many")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--control", action="store_true",
                        help="lose the log at each crash: then there must be problems")
    options = parser.parse_intermixed_args()
    print(f"crash-points: seed {options.seed}")
    rows, failed = [], False
    for operation in OPERATIONS:
        name = operation.__name__.replace("_", "-")
        if options.operations and name not in options.operations:
            continue
        walk = Walk(options, options.work, name)
        began = time.monotonic()
        try:
            operation(walk)
        except Failed as failure:
            walk.problems.append(f"it did not come to its end: {failure}")
        finally:
            if walk.daemon:
                walk.daemon.kill()
            walk.ledger.leave()
        shutil.rmtree(f"{options.work}/{name}", ignore_errors=True)
        for problem in walk.problems[:20]:
            print(f"  {name}: {problem[:700]}", flush=True)
        failed = failed or bool(walk.problems)
        calls = ", ".join(f"{count} {call}" for call, count in sorted(walk.calls.items()))
        verdict = f"{len(walk.problems)} PROBLEMS" if walk.problems else "nothing lost"
        rows.append((name, str(sum(walk.calls.values())), str(sum(walk.looked.values())),
                     str(walk.pairs), f"{time.monotonic() - began:.0f} s", verdict, calls))
        print(f"{name}: {' '.join(rows[-1][1:6])} ({calls})", flush=True)
    head = ("operation", "calls", "crashes", "pairs", "time", "verdict", "calls by kind")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(6)]
    print()
    for row in [head, *rows]:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)) + f"  {row[6]}")
    if options.control and not failed:
        print("FAILED: this check does not see what is lost")
    sys.exit(failed != options.control)


if __name__ == "__main__":
    # So that whatever is under way is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Failed as failure:
        print(f"crash-points: {failure}", file=sys.stderr)
        sys.exit(1)

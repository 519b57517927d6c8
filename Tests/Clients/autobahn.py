#!/usr/bin/env python3
"""Prints the verdicts of Autobahn|Testsuite by group; exits 1 when a case is neither OK, NON-STRICT
nor INFORMATIONAL, or did not end as it should.

Usage: autobahn.py INDEX.json, which the suite has written
"""

import collections
import json
import sys

GROUPS = {
    "1": "framing",
    "2": "pings and pongs",
    "3": "reserved bits",
    "4": "opcodes",
    "5": "fragmentation",
    "6": "UTF-8",
    "7": "closing",
    "9": "limits and speed",
    "10": "automatic fragmentation",
}
GOOD = ("OK", "NON-STRICT", "INFORMATIONAL")


def order(case):
    return [int(part) for part in case.split(".")]


def main(path):
    with open(path) as file:
        ((_, cases),) = json.load(file).items()
    table = collections.defaultdict(collections.Counter)
    bad = []
    for case in sorted(cases, key=order):
        verdict, closing = cases[case]["behavior"], cases[case]["behaviorClose"]
        table[case.split(".")[0]][verdict] += 1
        if verdict not in GOOD or closing not in GOOD:
            bad.append(f"{case}: {verdict}, closing {closing}")
        elif verdict == "NON-STRICT":
            print(f"{case}: {verdict}")
    print(f"| {'group':28} | cases |  OK | NON-STRICT | INFORMATIONAL | other |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for group in sorted(table, key=int):
        counts = table[group]
        others = sum(counts.values()) - sum(counts[name] for name in GOOD)
        name = f"{group} {GROUPS.get(group, '')}"
        cells = [f"{counts[verdict]}" for verdict in GOOD]
        print(f"| {name:28} | {sum(counts.values()):5} | {' | '.join(cells)} | {others} |")
    for line in bad:
        print(line, file=sys.stderr)
    print(f"{len(cases) - len(bad)} of {len(cases)} cases are as they should be")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

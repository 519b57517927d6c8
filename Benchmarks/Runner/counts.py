#!/usr/bin/env python3
"""Counts instructions and allocations of bench-micro's operations and compares them with the baseline."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from console import progress, table

ROOT = Path(__file__).resolve().parents[2]
BASELINE = ROOT / "Benchmarks/baseline.json"
ALLOCATORS = {"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign"}
# Two runs of different length: their difference has no start-up in it.
COUNTS = (300, 1300)
# Whole turns of all sessions of the shape, which are of 1,000, 400 and 4 events.
PATH_COUNTS = {"path-w1": (1000, 3000), "path-w2": (400, 2000), "path-w3": (8, 40)}
TOLERANCE = 0.05
# Of an allocation: below it a difference is a buffer that has grown once.
LEAST = 0.05


class Failed(Exception):
    """What could not be counted, and why."""


def counted(lines):
    """Instructions and calls of allocators in a profile that callgrind wrote.

    A name is written in full where it comes first and later as its number alone; `calls=` is about the
    last `cfn=`.
    """
    names, callee, allocations, instructions = {}, None, 0, None
    named = re.compile(r"c?fn=\((\d+)\)(?: (.*))?")
    for line in lines:
        if line.startswith(("fn=", "cfn=")):
            number, name = named.match(line).groups()
            if name is not None:
                names[number] = name
            if line.startswith("cfn="):
                callee = names.get(number, "").split("@")[0].split("'")[0]
        elif line.startswith("calls=") and callee in ALLOCATORS:
            allocations += int(line[len("calls="):].split()[0])
        elif line.startswith(("summary:", "totals:")):
            instructions = int(line.split()[1])
    if instructions is None:
        raise Failed("callgrind wrote no sum")
    return instructions, allocations


def run(program, operation, count):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        # Hash seeds of their own would make every run another one.
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(program), operation,
             str(count)], capture_output=True, text=True,
            env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"})
        if done.returncode != 0:
            raise Failed(f"{operation}: {done.stderr.strip()[-400:]}")
        with open(out) as lines:
            return counted(lines)


def once(program, operation):
    """What one time of the operation takes."""
    few, many = PATH_COUNTS.get(operation, COUNTS)
    first, last = run(program, operation, few), run(program, operation, many)
    each = [(b - a) / (many - few) for a, b in zip(first, last)]
    return {"instructions": round(each[0]), "allocations": round(each[1], 2)}


def operations(program):
    listed = subprocess.run([str(program), "--list"], capture_output=True, text=True)
    if listed.returncode != 0 or not listed.stdout.split():
        raise Failed(f"{program} --list names no operations")
    return listed.stdout.split()


def change(old, new):
    """The share by which a figure has changed; what differs by next to nothing has not."""
    if abs(new - old) <= LEAST:
        return 0.0
    return (new - old) / old if old > 0 else float("inf")


def compare(baseline, found):
    """Rows of the table, and whether all is within bounds."""
    rows, good = [], True
    for name in [*found, *(n for n in baseline if n not in found)]:
        old, new = baseline.get(name), found.get(name)
        if old is None or new is None:
            good = False
            new = new or {"instructions": "-", "allocations": "-"}
            rows.append((name, new["instructions"], "", new["allocations"], "",
                         "NOT IN THE BASELINE" if old is None else "IS GONE"))
            continue
        changes = [change(old[key], new[key]) for key in ("instructions", "allocations")]
        bad = [c for c in changes if abs(c) > TOLERANCE]
        good = good and not bad
        words = "MORE" if any(c > 0 for c in bad) else "LESS" if bad else "ok"
        rows.append((name, f"{new['instructions']:,}", f"{changes[0] * 100:+.1f}%",
                     f"{new['allocations']:.2f}", f"{changes[1] * 100:+.1f}%", words))
    return rows, good


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/bench-micro")
    parser.add_argument("--baseline", type=Path, default=BASELINE)
    parser.add_argument("--only", help="operations, with commas between")
    parser.add_argument("--update", action="store_true", help="make what is found the baseline")
    return parser.parse_args()


def main():
    options = arguments()
    compiler = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    compiler = compiler.splitlines()[0] if compiler else "unknown"
    known = json.loads(options.baseline.read_text()) if options.baseline.exists() else {}
    baseline = known.get("operations", {})
    wanted = operations(options.program)
    if options.only:
        wanted = [name for name in wanted if name in options.only.split(",")]
        baseline = {name: figures for name, figures in baseline.items() if name in wanted}
    found = {}
    for number, name in enumerate(wanted):
        progress(f"[{number}/{len(wanted)}] {name}")
        found[name] = once(options.program, name)
    progress("")
    rows, good = compare(baseline, found)
    print("\n".join(table(("operation", "instructions", "", "allocations", "", ""), rows)))
    if options.update:
        kept = known.get("operations", {}) if options.only else {}
        options.baseline.write_text(
            json.dumps({"compiler": compiler, "operations": kept | found}, indent=2) + "\n")
        print(f"\nThe baseline is now {options.baseline}")
        return 0
    if known.get("compiler") != compiler:
        print(f"\nThe baseline is of another compiler: {known.get('compiler')}; this is {compiler}")
    if not good:
        print("\nMore than 5 % from the baseline. If that is meant to be so:\n"
              "    make check-perf ARGUMENTS=--update    # and commit Benchmarks/baseline.json")
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(f"check-perf: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

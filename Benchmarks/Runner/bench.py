#!/usr/bin/env python3
"""Measures coordd beside the least a server must do; Docs/Benchmarks.md says how to read it."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from statistics import median

from processes import Failed, measure
from workloads import WORKLOADS

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ["floor", "coordd"]


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def run_all(workloads, options):
    """Results by workload: a list of rounds, each by server; and what failed, by workload."""
    results = {w.name: [] for w in workloads}
    failures = {}
    total = options.rounds * len(workloads)
    for number in range(options.rounds):
        # Rounds outside, so that a slow minute of the machine does not hit one workload alone.
        for index, workload in enumerate(workloads):
            if workload.name in failures:
                continue
            pair = {}
            for server in SERVERS:
                done = number * len(workloads) + index
                progress(f"[{done}/{total}] round {number + 1}, {workload.name}, {server}")
                try:
                    pair[server] = measure(server, workload, options)
                except Failed as failure:
                    failures[workload.name] = f"{server}: {failure}"
                    break
            else:
                results[workload.name].append(pair)
    progress("")
    return results, failures


def middle(rounds, server, *path):
    """The median over the rounds of one of a server's figures."""
    figures = []
    for pair in rounds:
        figure = pair[server]
        for key in path:
            figure = figure[key]
        figures.append(figure)
    return median(figures)


def summarize(workload, rounds):
    ratios = [p["coordd"][workload.figure] / p["floor"][workload.figure] for p in rounds]
    ratio = median(ratios)
    servers = {
        server: {
            "deliveriesPerSecond": middle(rounds, server, "deliveriesPerSecond"),
            "p50": middle(rounds, server, "latencyMilliseconds", "p50"),
            "p99": middle(rounds, server, "latencyMilliseconds", "p99"),
            "serverSecondsPerMillion": middle(rounds, server, "serverSecondsPerMillion"),
            "generatorShare": middle(rounds, server, "generatorShare"),
        }
        for server in SERVERS
    }
    return {
        "figure": workload.figure, "ratio": ratio, "least": min(ratios), "most": max(ratios),
        "target": workload.target, "met": workload.met(ratio), "servers": servers,
        "rounds": rounds,
    }


ROW = "{:<10} {:>5}  {:<12} {:<16} {:<7} {:>13} {:>8} {:>8} {:>14}"
HEADER = ROW.format("", "ratio", "spread", "target", "", "deliveries/s", "p50 ms", "p99 ms", "CPU s/million")


def table_rows(workload, summary):
    """The workload's two lines of the table, the compared figure's ratio first."""
    first = (
        workload.name, f"{summary['ratio']:.2f}", f"{summary['least']:.2f}-{summary['most']:.2f}",
        f"{'>=' if workload.more else '<='} {workload.target} {'met' if summary['met'] else 'MISSED'}")
    rows = []
    for server in reversed(SERVERS):
        row = summary["servers"][server]
        rows.append(ROW.format(
            *first, server, f"{row['deliveriesPerSecond']:,.0f}", f"{row['p50']:.2f}",
            f"{row['p99']:.2f}", f"{row['serverSecondsPerMillion']:.2f}").rstrip())
        if row["generatorShare"] > 0.9:
            rows[-1] += "  *"
        first = ("", "", "", "")
    return rows


def table(workloads, summaries, failures):
    lines = [HEADER]
    for workload in workloads:
        if workload.name in failures:
            lines.append(f"{workload.name:<10} not measured: {failures[workload.name]}")
        else:
            lines += table_rows(workload, summaries[workload.name])
    lines.append("")
    for workload in workloads:
        compared = "deliveries/s" if workload.more else "processor time for each delivery"
        lines.append(f"{workload.name:<10} {workload.about}; durability {workload.durability}; "
                     f"ratio of {compared}")
    if any(line.endswith("*") for line in lines):
        lines.append("* the generator was at its limit: deliveries/s is a lower bound")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    names = [w.name for w in WORKLOADS]
    parser.add_argument("--workloads", default=",".join(names), help="of %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of runs (%(default)s)")
    parser.add_argument("--seconds", type=float, default=3, help="measured in a run (%(default)s)")
    parser.add_argument("--warmup", type=float, default=1, help="seconds before (%(default)s)")
    parser.add_argument("--server-core", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--load-core", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/bench",
                        help="where servers write; on the disk that is to be measured")
    parser.add_argument("--json", type=Path, help="the results' file (results.json in the folder)")
    parser.add_argument("--enforce", action="store_true", help="a missed target is a failure too")
    options = parser.parse_args()
    unknown = set(options.workloads.split(",")) - set(names)
    if unknown:
        parser.error(f"unknown workloads: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if options.rounds < 1 or options.seconds < 0.1 or options.warmup < 0:
        parser.error("--rounds is at least 1, --seconds at least 0.1, --warmup at least 0")
    missing = {options.server_core, options.load_core} - os.sched_getaffinity(0)
    if missing or options.server_core == options.load_core:
        parser.error("server and generator need a core each (--server-core, --load-core)")
    return options


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = options.workloads.split(",")
    workloads = [w for w in WORKLOADS if w.name in wanted]
    print(f"{platform.node()}, {os.cpu_count()} cores, Linux {platform.release()}, "
          f"load average {os.getloadavg()[0]:.1f}; {options.rounds} rounds of {options.seconds:g} s")
    results, failures = run_all(workloads, options)
    summaries = {w.name: summarize(w, results[w.name]) for w in workloads if w.name not in failures}
    print("\n" + table(workloads, summaries, failures))
    path = options.json or options.folder / "results.json"
    path.write_text(json.dumps({"workloads": summaries, "failures": failures}, indent=1) + "\n")
    print(f"\nEverything that was measured: {path}")
    missed = any(not s["met"] for s in summaries.values())
    return 1 if failures or (missed and options.enforce) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

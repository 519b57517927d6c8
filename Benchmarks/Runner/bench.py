#!/usr/bin/env python3
"""Measures coordd beside the least a server must do; Docs/Benchmarks.md says how to read it."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from statistics import median

from console import progress, table, verdict
from processes import Failed, measure
from scaling import SECTIONS, run_sections
from sweep import drawn, summary, sweep
from workloads import WORKLOADS

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ["floor", "coordd"]


def run_pairs(workloads, options):
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
                    pair[server] = measure(
                        server, workload.load_of(server), options, workload.durable)
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


def target_text(workload, summary):
    if workload.target is None:
        return "-"
    return f"{'>=' if workload.more else '<='} {workload.target} {verdict(summary['met'])}"


def table_rows(workload, summary):
    """The workload's two lines of the table, the compared figure's ratio first."""
    first = (
        workload.name, f"{summary['ratio']:.2f}", f"{summary['least']:.2f}-{summary['most']:.2f}",
        target_text(workload, summary))
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


def pairs_text(workloads, summaries, failures):
    lines = [HEADER]
    for workload in workloads:
        if workload.name in failures:
            lines.append(f"{workload.name:<10} not measured: {failures[workload.name]}")
        else:
            lines += table_rows(workload, summaries[workload.name])
    lines.append("")
    for workload in workloads:
        compared = "deliveries/s" if workload.more else "processor time for each delivery"
        durability = "commit" if workload.durable else "memory"
        lines.append(f"{workload.name:<10} {workload.about}; durability {durability}; "
                     f"ratio of {compared}")
    if any(line.endswith("*") for line in lines):
        lines.append("* the generator was at its limit: deliveries/s is a lower bound")
    return "\n".join(lines)


def sections_text(rows, failures):
    cells = []
    for section in rows.values():
        for row in section:
            sign = ">=" if row.more else "<="
            target = "" if row.target is None else f"{sign} {row.target:,} {verdict(row.met)}"
            value = f"{row.value:+.1f}" if row.unit == "%" else f"{row.value:,.0f}"
            cells.append((row.name, value, row.unit, target, row.about))
    lines = table(("", "coordd", "", "target", ""), cells) if cells else []
    return "\n".join(lines + [f"{name}: {why}" for name, why in failures.items()])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    names = [w.name for w in WORKLOADS] + [*SECTIONS, "sweep"]
    parser.add_argument("--workloads", default=",".join(names), help="of %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of runs (%(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="measured in a run (%(default)s)")
    parser.add_argument("--warmup", type=float, default=0.7, help="seconds before (%(default)s)")
    parser.add_argument("--connections", type=int, default=10000, help="of W4 (%(default)s)")
    parser.add_argument("--storm", type=int, default=5000, help="connects of W5 (%(default)s)")
    parser.add_argument("--active", type=int, default=10000, help="sessions of growth (%(default)s)")
    parser.add_argument("--stored", type=int, default=300000, help="sessions of stored (%(default)s)")
    parser.add_argument("--server-core", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--load-core", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/bench",
                        help="where servers write; on the disk that is to be measured")
    parser.add_argument("--json", type=Path, help="the results' file (results.json in the folder)")
    parser.add_argument("--plot", type=Path, help="the sweep's picture (load.svg in the folder)")
    parser.add_argument("--enforce", action="store_true", help="a missed target is a failure too")
    options = parser.parse_args()
    unknown = set(options.workloads.split(",")) - set(names)
    if unknown:
        parser.error(f"unknown workloads: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    check(parser, options)
    return options


def check(parser, options):
    """What every runner demands of its options."""
    if options.rounds < 1 or options.seconds < 0.1 or options.warmup < 0:
        parser.error("--rounds is at least 1, --seconds at least 0.1, --warmup at least 0")
    missing = {options.server_core, options.load_core} - os.sched_getaffinity(0)
    if missing or options.server_core == options.load_core:
        parser.error("server and generator need a core each (--server-core, --load-core)")
    options.folder.mkdir(parents=True, exist_ok=True)


def machine(options):
    return (f"{platform.node()}, {os.cpu_count()} cores, Linux {platform.release()}, "
            f"load average {os.getloadavg()[0]:.1f}; {options.rounds} rounds of {options.seconds:g} s")


def main():
    options = arguments()
    wanted = options.workloads.split(",")
    workloads = [w for w in WORKLOADS if w.name in wanted]
    about = machine(options)
    print(about)
    results, failures = run_pairs(workloads, options)
    summaries = {w.name: summarize(w, results[w.name]) for w in workloads if w.name not in failures}
    if workloads:
        print("\n" + pairs_text(workloads, summaries, failures))
    rows, failed = run_sections([name for name in SECTIONS if name in wanted], options)
    if rows or failed:
        print("\n" + sections_text(rows, failed))
    points = {}
    if "sweep" in wanted:
        points = sweep(options)
        plot = options.plot or options.folder / "load.svg"
        plot.write_text(drawn(points, about))
        print(f"\n{summary(points)}\nLatency and throughput over load: {plot}")
    path = options.json or options.folder / "results.json"
    path.write_text(json.dumps({
        "machine": about, "workloads": summaries, "sweep": points, "failures": failures | failed,
        "sections": {name: {r.name: r.json() for r in s} for name, s in rows.items()}}, indent=1) + "\n")
    print(f"\nEverything that was measured: {path}")
    failed = {name: why for name, why in failed.items() if not why.startswith("skipped")}
    missed = (any(not s["met"] for s in summaries.values())
              or any(not row.met for section in rows.values() for row in section))
    return 1 if failures or failed or (missed and options.enforce) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

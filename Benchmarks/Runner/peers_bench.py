#!/usr/bin/env python3
"""Measures coordd beside other servers and the floor, in the same run."""

import argparse
import json
import sys
from pathlib import Path
from statistics import median

from bench import ROOT, check, machine
from console import progress, table, verdict
from peers import PEERS, absent
from processes import Failed, measure
from workloads import W2, W2_ACK

# By how much coordd may take more than a peer that it should be level with.
LEVEL = {"redis": 1.1}


def rounds_of(name, load, durable, servers, options):
    """Results by server, and what failed. A round is one run of each, so all see the same minutes."""
    results, failures = {server: [] for server in servers}, {}
    for number in range(options.rounds):
        for server in servers:
            if server in failures:
                continue
            progress(f"{name}, round {number + 1}, {server}")
            try:
                results[server].append(measure(server, load, options, durable))
            except Failed as failure:
                failures[server] = str(failure)
    progress("")
    return {server: runs for server, runs in results.items() if server not in failures}, failures


def middle(runs, key):
    return median(run[key] for run in runs)


def cost_rows(results):
    """W2: processor time for a delivery, beside the floor's; and whether coordd has less than each."""
    figure = "serverSecondsPerMillion"
    floor, ours = middle(results["floor"], figure), middle(results["coordd"], figure)
    rows = []
    for server, runs in sorted(results.items(), key=lambda item: middle(item[1], figure)):
        cost = middle(runs, figure)
        limit = LEVEL.get(server, 1)
        reached = "" if server not in PEERS else (
            f"coordd {ours / cost:.2f} of it, <= {limit} {verdict(ours / cost <= limit)}")
        rows.append((server, f"{cost / floor:.2f}", f"{cost:.2f}",
                     f"{middle(runs, 'deliveriesPerSecond'):,.0f}", latency(runs), reached))
    return rows


def rate_rows(results):
    """W2-ack: deliveries each second, with what the answers mean."""
    figure = "deliveriesPerSecond"
    floor, ours = middle(results["floor"], figure), middle(results["coordd"], figure)
    rows = []
    for server, runs in sorted(results.items(), key=lambda item: -middle(item[1], figure)):
        rate = middle(runs, figure)
        meaning = PEERS[server].durable if server in PEERS else "synced"
        if server == "redis":
            meaning += f"; coordd {ours / rate:.2f} of it, >= 1 {verdict(ours >= rate)}"
        rows.append((server, f"{rate / floor:.2f}", f"{middle(runs, 'serverSecondsPerMillion'):.2f}",
                     f"{rate:,.0f}", latency(runs), meaning))
    return rows


def latency(runs):
    values = [run["latencyMilliseconds"] for run in runs]
    return f"{median(v['p50'] for v in values):.2f} / {median(v['p99'] for v in values):.2f}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=",".join(PEERS), help="of %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="measured in a run (%(default)s)")
    parser.add_argument("--warmup", type=float, default=0.7, help="seconds before (%(default)s)")
    parser.add_argument("--server-core", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--load-core", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/bench")
    parser.add_argument("--json", type=Path, help="the results' file (peers.json in the folder)")
    options = parser.parse_args()
    options.peers = options.peers.split(",")
    if unknown := set(options.peers) - set(PEERS):
        parser.error(f"unknown peers: {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    check(parser, options)
    return options


def main():
    options = arguments()
    print(machine(options))
    missing = {name: why for name in options.peers if (why := absent(name))}
    present = [name for name in options.peers if name not in missing]
    durable = [name for name in present if PEERS[name].durable]
    kept = {}
    for name, load, servers, is_durable, rows in (
            ("W2", W2, present, False, cost_rows), ("W2-ack", W2_ACK, durable, True, rate_rows)):
        results, failures = rounds_of(name, load, is_durable, ["floor", "coordd", *servers], options)
        failures |= missing if name == "W2" else {}
        kept[name] = {"results": results, "failures": failures}
        if {"floor", "coordd"} <= set(results):
            head = (name, "ratio", "CPU s/million", "deliveries/s", "p50 / p99 ms", "")
            print("\n" + "\n".join(table(head, rows(results))))
        for server, why in failures.items():
            print(f"{server}: not measured: {why}")
    print("\nratio to the floor of the same run: W2 of processor time, W2-ack of deliveries/s; the text\n"
          "behind a peer of W2-ack is what its answer means")
    path = options.json or options.folder / "peers.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"Everything that was measured: {path}")
    broken = [server for part in kept.values() for server in part["failures"] if server not in missing]
    return 1 if broken or set(missing) - {"socketio"} else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

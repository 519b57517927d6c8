#!/usr/bin/env python3
"""Keeps a daemon under chaos and load for long, and checks that memory, descriptors and latency stay flat."""

import argparse
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from statistics import median

from chart import Chart, Panel, Series
from console import progress, table
from processes import Failed, pinned, scratch, shortened, started

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["seconds", "memoryMiB", "descriptors", "threads", "processorShare", "sessionsActive",
           "sessionsStored", "p50", "p99", "deliveriesPerSecond"]
# What is judged: by how much the end may be above the level after the first sixth, as a share and at least
# by so much. Latency has an option for the latter: a busy neighbour costs more than 5 % of 0.2 ms.
JUDGED = {"memoryMiB": (0.05, 0.5), "descriptors": (0.05, 3), "p50": (0.05, 0.1)}
TICKS = os.sysconf("SC_CLK_TCK")


def settings(options):
    """A daemon whose sessions come to their ends within a twelfth of the run."""
    seconds = options.duration
    return {
        "COORDD_LOOPS": str(options.loops),
        "COORDD_SESSIONS_IDLE_SECONDS": str(max(1, seconds // 120)),
        "COORDD_SESSIONS_RETAIN_SECONDS": str(max(5, seconds // 12)),
        "COORDD_SESSIONS_RETAIN_EMPTY_SECONDS": str(max(5, seconds // 12)),
        "COORDD_STAGE_GRACE_SECONDS": "5",
        "COORDD_HISTORY_SECONDS": str(max(5, seconds // 24)),
    }


class Sampler:
    """Reads what the kernel and the daemon say about the daemon."""

    def __init__(self, pid, port):
        self.process, self.port = Path(f"/proc/{pid}"), port
        self.begin = time.monotonic()
        self.last = (self.begin, self.processor_seconds())

    def processor_seconds(self):
        fields = (self.process / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as page:
            return page.read().decode()

    def sample(self):
        try:
            return self.look()
        except OSError as fault:
            raise Failed(f"the daemon cannot be looked at: {fault}") from None

    def look(self):
        memory = re.search(r"Rss: *(\d+) kB", (self.process / "smaps_rollup").read_text())
        metrics = self.metrics()
        now, used = time.monotonic(), self.processor_seconds()
        share = (used - self.last[1]) / max(now - self.last[0], 0.001)
        self.last = (now, used)
        def count(name):
            found = re.search(rf"^coordd_{name} (\S+)", metrics, re.MULTILINE)
            return float(found.group(1)) if found else 0.0
        return {
            "seconds": now - self.begin, "memoryMiB": int(memory.group(1)) / 1024,
            "descriptors": len(os.listdir(self.process / "fd")),
            "threads": len(os.listdir(self.process / "task")), "processorShare": share,
            "sessionsActive": count("sessions_active"), "sessionsStored": count("sessions_stored"),
        }


class Activity:
    """A program that runs again and again until the time is over; each run must end well."""

    def __init__(self, name, command, core, folder):
        self.name, self.command, self.core = name, command, core
        self.output = folder / f"{name}.out"
        self.process, self.runs = None, 0

    def start(self, seconds):
        self.runs += 1
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(
                self.command(seconds, self.runs), stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, preexec_fn=pinned(self.core))

    def finished(self):
        """What the run said, once it has ended."""
        if self.process is None or self.process.poll() is None:
            return None
        said, code = self.output.read_text(errors="replace"), self.process.returncode
        self.process = None
        if code != 0:
            raise Failed(f"{self.name}, run {self.runs}, ended with {code}: {shortened(said, 1500)}")
        return said

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def activities(server, options, folder):
    address = f"127.0.0.1:{server.port}"
    def chaos(seconds, number):
        return [str(options.binaries / "coordd"), "simulate", "--connect", address, "--chaos",
                "--sessions", str(options.sessions), "--mirrors", "2", "--seconds",
                str(round(seconds)), "--seed", str(options.seed + number)]
    def load(seconds, number):
        return [str(options.binaries / "bench-load"), "--dialect", "coordd", "--port",
                str(server.port), "--pid", str(server.process.pid), "--mode", "open", "--sessions", "50",
                "--subscribers", "4", "--rate", str(options.rate), "--warmup", "0.5",
                "--seconds", f"{seconds:.1f}"]
    return (Activity("chaos", chaos, options.load_core, folder),
            Activity("load", load, options.load_core, folder))


def play(server, options, folder, samples, loads):
    """Adds samples and the load's results until the time is over."""
    sampler = Sampler(server.process.pid, server.port)
    chaos, load = activities(server, options, folder)
    end = sampler.begin + options.duration
    try:
        while (now := time.monotonic()) < end:
            left = end - now
            if chaos.process is None and left > 2:
                chaos.start(min(max(10, options.duration / 20), left))
            if load.process is None and left > 2:
                load.start(min(max(5, options.duration / 60), left))
            time.sleep(min(options.period, max(0.0, end - time.monotonic())))
            samples.append(sampler.sample())
            chaos.finished()
            record(load.finished(), sampler, samples, loads)
            shown = samples[-1]
            progress(f"{shown['seconds']:.0f} of {options.duration} s, {shown['memoryMiB']:.1f} MiB, "
                     f"{shown['descriptors']} descriptors, {shown['sessionsActive']:.0f} active and "
                     f"{shown['sessionsStored']:.0f} stored sessions")
        await_end(chaos, load, sampler, samples, loads)
    finally:
        chaos.stop()
        load.stop()


def await_end(chaos, load, sampler, samples, loads):
    """The last runs end by themselves."""
    patience = time.monotonic() + 120
    while (chaos.process or load.process) and time.monotonic() < patience:
        time.sleep(0.2)
        chaos.finished()
        record(load.finished(), sampler, samples, loads)
    if chaos.process or load.process:
        raise Failed("chaos or load do not end")


def record(said, sampler, samples, loads):
    if said is None:
        return
    result = json.loads(said.strip().splitlines()[-1])
    latency = result["latencyMilliseconds"]
    loads.append({"seconds": time.monotonic() - sampler.begin, "p50": latency["p50"],
                  "p99": latency["p99"], "deliveriesPerSecond": result["deliveriesPerSecond"]})


def within(points, key, duration, low, high):
    """The figures of a part of the run, which goes from 0 to 1."""
    return [p[key] for p in points if low * duration <= p["seconds"] <= high * duration]


def judged(points, key, duration):
    """The level after the first sixth, the level of the last, the change, and whether that is flat."""
    # The last load ends a little after the time.
    level = within(points, key, duration, 1 / 6, 2 / 6)
    last = within(points, key, duration, 5 / 6, 2)
    if not level or not last:
        return None
    level, last = median(level), median(last)
    share, least = JUDGED[key]
    return level, last, last - level <= max(share * level, least)


def verdicts(samples, loads, duration):
    """Rows of the table, and whether all is flat."""
    rows, good = [], True
    for key in JUDGED:
        found = judged(loads if key == "p50" else samples, key, duration)
        if found is None:
            rows.append((key, "", "", "", "too short a run"))
            good = False
            continue
        level, last, flat = found
        good = good and flat
        rows.append((key, f"{level:.2f}", f"{last:.2f}", f"{(last / level - 1) * 100:+.1f}%",
                     "flat" if flat else "NOT FLAT"))
    return rows, good


def write_csv(path, samples, loads):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for row in sorted(samples + loads, key=lambda row: row["seconds"]):
            writer.writerow({k: f"{v:.3f}".rstrip("0").rstrip(".") for k, v in row.items()})


def drawn(samples, loads, duration, about):
    """What was seen, with a band of 5 % around the levels after the first sixth."""
    minutes = duration >= 600
    unit, scale = ("minutes", 60) if minutes else ("seconds", 1)
    def series(label, key, points, colour, dashed=False, times=1):
        return Series(label, [(p["seconds"] / scale, p[key] * times) for p in points], colour, dashed)
    def bands(key, points):
        found = judged(points, key, duration)
        return [(found[0] * 0.95, found[0] * 1.05, "#e6f2e6")] if found else []
    blue, red, green = "#0072b2", "#d55e00", "#009e73"
    return Chart("Soak: chaos and load on one daemon", about, [
        Panel("memory, MiB", [series("resident", "memoryMiB", samples, blue)], unit,
              bands=bands("memoryMiB", samples)),
        Panel("count", [series("descriptors", "descriptors", samples, blue),
                        series("active sessions", "sessionsActive", samples, green),
                        series("stored sessions", "sessionsStored", samples, red)], unit,
              bands=bands("descriptors", samples)),
        Panel("latency, ms", [series("p50", "p50", loads, blue),
                              series("p99", "p99", loads, blue, True)], unit, log_y=True),
        Panel("core, %", [series("daemon", "processorShare", samples, red, times=100)], unit),
    ]).svg()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duration", type=int, default=3600, help="seconds (%(default)s)")
    parser.add_argument("--sessions", type=int, default=20, help="of the simulation (%(default)s)")
    parser.add_argument("--rate", type=float, default=250, help="events/s of the load (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first simulation (%(default)s)")
    parser.add_argument("--latency-slack", type=float, default=JUDGED["p50"][1],
                        help="ms by which p50 may always grow (%(default)s)")
    parser.add_argument("--loops", type=int, default=1, help="of the daemon (%(default)s)")
    parser.add_argument("--durability", choices=["commit", "memory"], default="commit")
    parser.add_argument("--server-core", type=int, default=0, help="(%(default)s)")
    parser.add_argument("--load-core", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/soak",
                        help="where the daemon writes, and soak.csv and soak.svg (%(default)s)")
    options = parser.parse_args()
    JUDGED["p50"] = (JUDGED["p50"][0], options.latency_slack)
    if options.duration < 30:
        parser.error("--duration is at least 30")
    cores = sorted(os.sched_getaffinity(0))
    for name in ("server_core", "load_core"):
        if getattr(options, name) not in cores:
            setattr(options, name, cores[0])
    # A sample a second in a short run, about 700 in a long one.
    options.period = max(1.0, options.duration / 700)
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def main():
    options = arguments()
    samples, loads, failure = [], [], None
    with scratch("soak", options) as folder:
        try:
            with started("coordd", options, folder, options.durability == "commit",
                         settings(options)) as server:
                play(server, options, folder, samples, loads)
        except Failed as problem:
            failure = f"{problem}\n{shortened((folder / 'log').read_text(errors='replace'))}"
    progress("")
    about = (f"{options.duration} s; {options.sessions} simulated sessions with chaos and "
             f"{options.rate:g} events/s to 4 screens each; durability {options.durability}")
    write_csv(options.folder / "soak.csv", samples, loads)
    if samples:
        (options.folder / "soak.svg").write_text(drawn(samples, loads, options.duration, about))
    rows, good = verdicts(samples, loads, options.duration)
    print("\n".join([about, "", *table(("", "after a sixth", "last sixth", "", ""), rows)]))
    print(f"\n{options.folder}/soak.csv and soak.svg have the run")
    if failure:
        print(f"soak: {failure}", file=sys.stderr)
    return 0 if good and not failure else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

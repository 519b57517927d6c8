"""What connections and sessions cost, and what becomes of an event when there are many of them."""

import subprocess
from statistics import median

from console import progress
from processes import Failed, descriptors, measure, pinned, scratch, started

SERVERS = ["floor", "coordd"]
CPU = "serverSecondsPerMillion"


class Row:
    """One line of the table: a figure, what it must be, and what else is to be known."""

    def __init__(self, name, value, unit, target=None, more=False, about=""):
        self.name, self.value, self.unit, self.about = name, value, unit, about
        self.target, self.more = target, more

    @property
    def met(self):
        if self.target is None:
            return True
        return self.value >= self.target if self.more else self.value <= self.target

    def json(self):
        return {"value": self.value, "unit": self.unit, "target": self.target, "met": self.met,
                "about": self.about}


def memory(options):
    """W4. Mirrors that only follow, then sessions that only have a phone."""
    mirrors, sessions, ours = {}, {}, options.connections
    load = "--mode idle --warmup 0 --seconds 0.5 --preparing 100"
    for name in SERVERS:
        progress(f"W4, {name}, {ours} mirrors")
        many = measure(name, f"{load} --sessions 100 --subscribers {ours // 100}", options)
        mirrors[name] = grown(many, many["subscribers"])
        progress(f"W4, {name}, {ours} sessions")
        alone = measure(name, f"{load} --sessions 1 --subscribers 0 --idle {ours - 1}", options)
        sessions[name] = grown(alone, alone["publishers"])
    return [
        Row("W4 mirror", mirrors["coordd"], "bytes", 1500,
            about=f"resident, each of {ours} that follow 100 sessions; floor {mirrors['floor']:.0f}"),
        Row("W4 session", sessions["coordd"] - mirrors["coordd"], "bytes", 4096,
            about=f"resident, each of {ours} active; its phone's connection taken off as a mirror's; "
            f"together {sessions['coordd']:.0f}"),
    ]


def grown(result, stage):
    """Bytes for each connection of a stage, once all is quiet."""
    later = result["memoryAfter"] - result["memoryBefore"]
    measured = result["publishers"]["memoryBytes"] + result["subscribers"]["memoryBytes"]
    return max(0, stage["memoryBytes"] + later - measured) / stage["connections"]


def storm(options):
    """W5. Connects and subscribes as fast as the server lets it."""
    load = ("--mode idle --warmup 0 --seconds 0.1 --preparing 100 --sessions 50 "
            f"--subscribers {options.storm // 50}")
    rates = {name: [] for name in SERVERS}
    cost = []
    for number in range(options.rounds):
        for name in SERVERS:
            progress(f"W5, {name}, round {number + 1}")
            result = measure(name, load, options)["subscribers"]
            rates[name].append(result["perSecond"])
            if name == "coordd":
                cost.append(result["serverSeconds"] / result["connections"] * 1e6)
    floor, ours = median(rates["floor"]), median(rates["coordd"])
    return [Row("W5", ours, "connects/s", 12000, more=True,
                about=f"{options.storm} connects and subscribes, {median(cost):.0f} us of processor "
                f"time each; floor {floor:,.0f}/s")]


def growth(options):
    """Processor time for a delivery with few and with many active sessions."""
    few, many = 100, options.active
    talk = "--mode open --rate 2000 --subscribers 10 --sessions 100"
    quiet = f"{talk} --idle {many - few}"
    rows = [compared("growth active", f"{few} sessions talk, {few} and {many} are active",
                     talk, quiet, options, 15)]
    each = min(many, (descriptors() - 200) // 2)
    everybody = "--mode open --rate 5000 --subscribers 1 --sessions"
    rows.append(compared(
        "growth talking", f"5,000 events/s from {few} sessions and from {each}: colder caches, "
        "for the floor too", f"{everybody} {few}", f"{everybody} {each}", options, None))
    return rows


def compared(name, about, small, large, options, target):
    grown_by = {}
    costs = {}
    for server in SERVERS:
        pairs = []
        for number in range(options.rounds):
            progress(f"{name}, {server}, round {number + 1}")
            pairs.append([measure(server, load, options)[CPU] for load in (small, large)])
        costs[server] = [median(pair[i] for pair in pairs) for i in (0, 1)]
        grown_by[server] = percent(*costs[server])
    first, last = costs["coordd"]
    return Row(name, grown_by["coordd"], "%", target,
               about=f"{about}: {first:.2f} to {last:.2f} us for a delivery; "
               f"floor {grown_by['floor']:+.0f} %")


def percent(first, last):
    return (last / first - 1) * 100


def stored(options):
    """Processor time for a delivery, and the time to start, with few and with many stored sessions."""
    talk = "--mode open --rate 2000 --subscribers 10 --sessions 100"
    counts, cost, start = (100, options.stored), [], []
    for count in counts:
        with scratch("stored", options) as folder:
            progress(f"growth stored, making {count} sessions")
            with started("coordd", options, folder):
                pass  # makes folder and key
            fill(count, folder, options)
            starts, costs = [], []
            for _ in range(3):
                with started("coordd", options, folder) as server:
                    starts.append(server.start_seconds * 1000)
            for number in range(options.rounds):
                progress(f"growth stored, {count} sessions, round {number + 1}")
                with started("coordd", options, folder) as server:
                    costs.append(server.load(talk)[CPU])
            cost.append(median(costs))
            start.append(median(starts))
    return [
        Row("growth stored", percent(*cost), "%", 15,
            about=f"{counts[0]} and {counts[1]:,} stored: {cost[0]:.2f} to {cost[1]:.2f} us for a "
            "delivery"),
        Row("start", start[1] - start[0], "ms", 50,
            about=f"longer with {counts[1]:,} stored: {start[0]:.0f} to {start[1]:.0f} ms, clean stop"),
    ]


def fill(count, folder, options):
    made = subprocess.run(
        [str(options.binaries / "bench-store"), "--fill", str(count),
         "--folder", str(folder / "data"), "--key", str(folder / "coordd" / "coordd.key")],
        capture_output=True, text=True, preexec_fn=pinned(options.load_core))
    if made.returncode != 0:
        raise Failed(f"bench-store: {made.stderr.strip()}")


def loops(options):
    """Processor time for a delivery with one event loop and with two, on the same core."""
    rows = []
    for name, load in (("W1", "--mode open --sessions 1000 --subscribers 2 --rate 5000"),
                       ("W2", "--mode open --sessions 100 --subscribers 10 --rate 2000")):
        costs = {"1": [], "2": []}
        for number in range(options.rounds):
            for count in costs:
                progress(f"scale-out, {name}, {count} loops, round {number + 1}")
                result = measure("coordd", load, options, settings={"COORDD_LOOPS": count})
                costs[count].append(result[CPU])
        first, last = (median(costs[count]) for count in costs)
        rows.append(Row(f"scale-out {name}", percent(first, last), "%", 15,
                        about=f"1 loop to 2, {load.split()[-1]} events/s: {first:.2f} to {last:.2f} us "
                        "for a delivery"))
    return rows


SECTIONS = {"W4": memory, "W5": storm, "growth": growth, "stored": stored, "scale-out": loops}


def run_sections(names, options):
    """Rows by section, and what failed."""
    rows, failures = {}, {}
    for name in names:
        try:
            rows[name] = SECTIONS[name](options)
        except Failed as failure:
            if name == "scale-out" and "loops" in str(failure):
                failures[name] = "skipped: this coordd has one loop"
            else:
                failures[name] = str(failure)
    progress("")
    return rows, failures

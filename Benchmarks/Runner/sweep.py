"""One load, more and more of it: latency and throughput up to where a server falls behind."""

from chart import Chart, Panel, Series
from console import progress
from processes import Failed, measure

SHAPE = "--mode open --sessions 100 --subscribers 10"
RATES = [500, 1000, 2000, 4000, 8000, 12000, 16000, 24000, 32000, 48000, 64000]
COLOURS = {"coordd": "#0072b2", "floor": "#d55e00"}
# Of what was offered; below that the server (or the generator) does not keep up.
KEPT = 0.97


def kept_up(point):
    return "failed" not in point and point["achieved"] >= KEPT * point["offered"]


def summary(points):
    """How far each server came, in words."""
    lines = []
    for server, all_points in points.items():
        kept = [p for p in all_points if kept_up(p)]
        if kept:
            last = kept[-1]
            lines.append(f"{server} keeps up with {last['offered']:,} events/s, {last['offered'] * 10:,} "
                         f"deliveries/s (p50 {last['p50']:.2f} ms, p99 {last['p99']:.2f} ms)")
        lines += [f"{server} at {p['offered']:,} events/s: {p['failed']}" for p in all_points
                  if "failed" in p]
    return "\n".join(lines)


def sweep(options):
    """Points by server; each ends at the second rate that it does not keep up with."""
    points = {}
    for server in ("floor", "coordd"):
        points[server] = []
        behind = 0
        for rate in RATES:
            progress(f"load sweep, {server}, {rate} events/s")
            try:
                result = measure(server, f"{SHAPE} --rate {rate}", options)
            except Failed as failure:
                points[server].append({"offered": rate, "failed": str(failure)})
                break
            latency = result["latencyMilliseconds"]
            points[server].append({
                "offered": rate, "achieved": result["deliveriesPerSecond"] / 10,
                "p50": latency["p50"], "p99": latency["p99"], "serverShare": result["serverShare"],
                "generatorShare": result["generatorShare"]})
            behind += not kept_up(points[server][-1])
            if behind == 2:
                break
    progress("")
    return points


def drawn(points, about):
    """The points as an SVG document: latency above, throughput and processor time below."""
    latency, throughput, processor = [], [], []
    for server, all_points in points.items():
        good = [p for p in all_points if "failed" not in p]
        colour = COLOURS[server]
        def line(label, key, dashed=False, scale=1):
            return Series(label, [(p["offered"], p[key] * scale) for p in good], colour, dashed)
        latency += [line(f"{server} p50", "p50"), line(f"{server} p99", "p99", True)]
        throughput.append(line(server, "achieved", scale=10))
        processor.append(line(server, "serverShare", scale=100))
    x = "events/s offered, each delivered 10 times"
    return Chart(f"Latency and throughput over load: 100 x (1+10), open loop", about, [
        Panel("latency, ms", latency, x, log_x=True, log_y=True),
        Panel("deliveries/s", throughput, x, log_x=True, log_y=True),
        Panel("server's core, %", processor, x, log_x=True),
    ]).svg()

#!/usr/bin/env python3
"""Shows that bench-load sees what a server does wrong, and that the scripts calculate right."""

import json
import socket
import subprocess
import threading
import unittest
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import counts
import scaling
import soak
import sweep
from chart import Axis, Chart, Panel, Series, log_ticks, ticks
from console import table
from workloads import Workload

LOAD = Path(__file__).resolve().parents[2] / ".build/release/bench-load"
FAULTY = 5  # the number of the event that the server spoils, from 0


def introduced(listener):
    """The next connection and its further lines."""
    connection, _ = listener.accept()
    lines = connection.makefile("rb")
    lines.readline()
    connection.sendall(b"ready\n")
    return connection, lines


def relay(lines, subscriber, spoil):
    """`spoil` gives the texts to send in place of one event and after the next, or None to end."""
    held = b""
    for number, line in enumerate(lines):
        if number == FAULTY:
            spoiled, held = spoil(line)
            if spoiled is None:
                return
            subscriber.sendall(spoiled)
        else:
            subscriber.sendall(line + held)
            held = b""


def serve(listener, spoil):
    publisher, lines = introduced(listener)
    subscriber, others = introduced(listener)
    # The generator ends its connections with a reset.
    with publisher, subscriber, lines, others, suppress(ConnectionResetError):
        relay(lines, subscriber, spoil)


class LoadTests(unittest.TestCase):
    """bench-load counts each fault once, as what it is."""

    def run_with(self, spoil):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = threading.Thread(target=serve, args=(listener, spoil), daemon=True)
            server.start()
            load = subprocess.run(
                [str(LOAD), "--dialect", "floor", "--port", str(listener.getsockname()[1]),
                 "--mode", "open", "--rate", "100", "--sessions", "1", "--subscribers", "1",
                 "--warmup", "0", "--seconds", "0.2"],
                capture_output=True, text=True, timeout=30)
            server.join()
        result = json.loads(load.stdout)
        kinds = ["lost", "doubled", "disordered", "refused", "closed"]
        return load.returncode, {kind: result[kind] for kind in kinds if result[kind]}

    def test_a_faultless_server(self):
        self.assertEqual(self.run_with(lambda line: (line, b"")), (0, {}))

    def test_a_lost_event(self):
        self.assertEqual(self.run_with(lambda line: (b"", b"")), (1, {"lost": 1}))

    def test_a_doubled_event(self):
        self.assertEqual(self.run_with(lambda line: (line + line, b"")), (1, {"doubled": 1}))

    def test_an_event_after_its_successor(self):
        self.assertEqual(self.run_with(lambda line: (b"", line)), (1, {"disordered": 1}))

    def test_a_refusal(self):
        spoiled = self.run_with(lambda line: (line + b"no\n", b""))
        self.assertEqual(spoiled, (1, {"refused": 1}))

    def test_an_end_of_the_connection(self):
        code, counts = self.run_with(lambda line: (None, b""))
        self.assertEqual((code, counts["closed"]), (1, 2))
        self.assertGreater(counts["lost"], 0)


def frame(text):
    """A server's WebSocket frame."""
    data = text.encode()
    size = bytes([len(data)]) if len(data) < 126 else bytes([126]) + len(data).to_bytes(2, "big")
    return b"\x81" + size + data


def read_frame(stream):
    """A client's WebSocket frame; empty at the end."""
    head = stream.read(2)
    if len(head) < 2:
        return b""
    length = head[1] & 127
    if length == 126:
        length = int.from_bytes(stream.read(2), "big")
    mask = stream.read(4)
    return bytes(byte ^ mask[i % 4] for i, byte in enumerate(stream.read(length)))


def upgraded(listener):
    connection, _ = listener.accept()
    stream = connection.makefile("rb")
    path = stream.readline().split()[1].decode()
    while stream.readline().strip():
        pass
    # In two parts, as a network may deliver it.
    connection.sendall(b"HTTP/1.1 101 Switching")
    connection.sendall(b" Protocols\r\nUpgrade: websocket\r\n\r\n")
    return connection, stream, path


class WebSocketTests(unittest.TestCase):
    """bench-load masks what it sends and takes frames apart, two messages of a packet too."""

    def serve(self, listener, seen):
        publisher, events, path = upgraded(listener)
        subscriber, _, other = upgraded(listener)
        seen += [path, other]
        with publisher, subscriber, suppress(ConnectionResetError, BrokenPipeError):
            held = b""
            while event := read_frame(events):
                held += frame(event.decode())
                if held.count(b"@") == 2:
                    subscriber.sendall(held[:7])
                    subscriber.sendall(held[7:])
                    held = b""

    def test_frames(self):
        seen = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = threading.Thread(target=self.serve, args=(listener, seen), daemon=True)
            server.start()
            load = subprocess.run(
                [str(LOAD), "--dialect", "nchan", "--port", str(listener.getsockname()[1]),
                 "--mode", "closed", "--window", "2", "--sessions", "1", "--subscribers", "1",
                 "--warmup", "0", "--seconds", "0.2"],
                capture_output=True, text=True, timeout=30)
            server.join()
        self.assertEqual((load.returncode, load.stderr), (0, ""))
        self.assertGreater(json.loads(load.stdout)["deliveries"], 2)
        self.assertEqual(seen, ["/pub/0", "/sub/0"])


class ChartTests(unittest.TestCase):
    """Axes and ticks."""

    def test_round_ticks(self):
        self.assertEqual(ticks(0, 10), [0, 2, 4, 6, 8, 10])
        self.assertEqual(ticks(0.13, 0.49), [0.2, 0.3, 0.4])
        self.assertEqual(ticks(5, 5), [5])

    def test_logarithmic_ticks(self):
        self.assertEqual(log_ticks(0.5, 20), [0.5, 1, 2, 5, 10, 20])
        self.assertEqual(log_ticks(0.5, 20000), [1, 10, 100, 1000, 10000])

    def test_places(self):
        axis = Axis([0, 100], 0, 1060, from_zero=True)
        self.assertEqual((axis.low, axis.high), (0, 106))
        self.assertAlmostEqual(axis.place(53), 530)
        axis = Axis([10, 1000], 0, 100, log=True)
        self.assertAlmostEqual(axis.place(100), 50)

    def test_a_document(self):
        panel = Panel("ms", [Series("a < b", [(1, 2), (2, 4)], "#000000")], "s")
        document = ElementTree.fromstring(Chart("title", "about", [panel]).svg())
        self.assertEqual(len(document.findall("{http://www.w3.org/2000/svg}polyline")), 1)
        self.assertIn("a < b", "".join(document.itertext()))


PROFILE = """\
version: 1
fn=(1) work
10 100
cfn=(2) malloc
calls=3 20
10 30
cfn=(3) free
calls=3 20
10 30
fn=(4) other
cfn=(2)
calls=2 20
10 10
cfn=(5) realloc@@GLIBC_2.2.5
calls=1 20
10 10
totals: 170
"""


class CountTests(unittest.TestCase):
    """The baseline's sums and bounds."""

    def test_a_profile(self):
        self.assertEqual(counts.counted(PROFILE.splitlines()), (170, 6))

    def test_no_sum(self):
        with self.assertRaises(counts.Failed):
            counts.counted(["fn=(1) work"])

    def compared(self, old, new):
        rows, good = counts.compare({"a": old}, {"a": new})
        return rows[0][-1], good

    def figures(self, instructions, allocations):
        return {"instructions": instructions, "allocations": allocations}

    def test_bounds(self):
        old = self.figures(1000, 4)
        self.assertEqual(self.compared(old, self.figures(1050, 4.03)), ("ok", True))
        self.assertEqual(self.compared(old, self.figures(1051, 4)), ("MORE", False))
        self.assertEqual(self.compared(old, self.figures(949, 4)), ("LESS", False))
        self.assertEqual(self.compared(old, self.figures(1000, 5)), ("MORE", False))
        self.assertEqual(self.compared(self.figures(1000, 0), self.figures(1000, 0.04)), ("ok", True))
        self.assertEqual(self.compared(self.figures(1000, 0), self.figures(1000, 1)), ("MORE", False))

    def test_new_and_gone(self):
        rows, good = counts.compare({"old": self.figures(1, 1)}, {"new": self.figures(1, 1)})
        self.assertEqual([row[-1] for row in rows], ["NOT IN THE BASELINE", "IS GONE"])
        self.assertFalse(good)


class SoakTests(unittest.TestCase):
    """What is flat."""

    def samples(self, figure):
        return [{"seconds": s, "memoryMiB": figure(s)} for s in range(0, 61)]

    def test_a_start_does_not_count(self):
        samples = self.samples(lambda s: 100 if s >= 10 else 10 * s)
        self.assertEqual(soak.judged(samples, "memoryMiB", 60), (100, 100, True))

    def test_growth(self):
        # The level is that of the seconds 10 to 20, the end that of 50 to 60.
        self.assertEqual(
            soak.judged(self.samples(lambda s: 100 + s), "memoryMiB", 60), (115, 155, False))
        self.assertEqual(
            soak.judged(self.samples(lambda s: 100 + s / 10), "memoryMiB", 60), (101.5, 105.5, True))

    def test_less_is_no_fault(self):
        self.assertTrue(soak.judged(self.samples(lambda s: 100 - s), "memoryMiB", 60)[2])

    def test_too_short(self):
        self.assertIsNone(soak.judged(self.samples(lambda s: 1), "memoryMiB", 600))


class WorkloadTests(unittest.TestCase):
    """Targets and figures."""

    def test_targets(self):
        most = Workload("w", "", "", 1.5)
        self.assertEqual((most.met(1.5), most.met(1.51)), (True, False))
        least = Workload("w", "", "", 0.95, more=True)
        self.assertEqual((least.met(0.95), least.met(0.94)), (True, False))
        self.assertTrue(Workload("w", "", "", None).met(9))

    def test_growth(self):
        self.assertAlmostEqual(scaling.percent(8, 9.2), 15)

    def test_memory(self):
        result = {"memoryBefore": 1000, "memoryAfter": 5000,
                  "publishers": {"memoryBytes": 1000, "connections": 1},
                  "subscribers": {"memoryBytes": 2500, "connections": 10}}
        # 500 bytes came after all were there: the subscribers are charged with them.
        self.assertEqual(scaling.grown(result, result["subscribers"]), 300)

    def test_sweep(self):
        self.assertTrue(sweep.kept_up({"offered": 1000, "achieved": 970}))
        self.assertFalse(sweep.kept_up({"offered": 1000, "achieved": 969}))
        self.assertFalse(sweep.kept_up({"offered": 1000, "failed": "why"}))

    def test_columns(self):
        self.assertEqual(table(("", "n"), [("a", "1,000"), ("bcd", "-2")]), ["         n", "a    1,000", "bcd     -2"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Shows that bench-load sees what a server does wrong, with a floor that does it."""

import json
import socket
import subprocess
import threading
import unittest
from contextlib import suppress
from pathlib import Path

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


class Checks(unittest.TestCase):
    """Each fault is counted once, as what it is."""

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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Shows that devices which come once leave nothing behind (case C52 in Docs/Cases.md).

Plays COUNT sessions against a daemon of its own, each made by a new device that attaches once and
vanishes, beside a busy session with a mirror that never returns. Then it waits until they are
deleted and compares memory, disk, descriptors and files with what they were before. The base is a
daemon that is warm: one that had WARM such sessions come and go. Exits 1 when something is
more than 10 % over that, or does not come back within three lifetimes.

Usage: retention.py [COUNT] [LIFE, seconds that a session lives without its device]
"""

import json
import os
import resource
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
LIFE = int(sys.argv[2]) if len(sys.argv) > 2 else 60
# Five seconds of the same traffic.
WARM = 10_000
# Connections at a time, and new ones each second.
FLIGHT = 1000
RATE = 2000
SHARE = 0.1
COORDD = os.environ.get("COORDD", ".build/release/coordd")


def command(number, **request):
    return json.dumps({"id": number, **request}).encode() + b"\n"


def event(number, session, body):
    data = {"session": session, "event": body}
    return command(number, rpc={"method": "session.apply", "data": data})


class Visits:
    """One-time devices: each connects, makes its session, takes the stage and is gone."""

    def __init__(self, port, prefix):
        self.port, self.prefix = port, prefix
        self.selector = selectors.EpollSelector()
        self.flight = self.begun = self.done = 0
        self.refusals = {}

    def begin(self):
        name = f"{self.prefix}-{self.begun}"
        peer = socket.socket()
        peer.setblocking(False)
        # A reset, as by a phone that loses its network, and no port left waiting.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.connect_ex(("127.0.0.1", self.port))
        words = (
            command(1, connect={"data": {"device": f"device-{name}"}})
            + command(2, subscribe={"channel": f"session:{name}"})
            + command(3, subscribe={"channel": f"stage:{name}",
                                    "data": {"facts": {"orientation": "portrait"}}}))
        self.selector.register(
            peer, selectors.EVENT_WRITE, [words, b"", time.monotonic() + 30])
        self.begun += 1
        self.flight += 1

    def end(self, peer):
        self.selector.unregister(peer)
        peer.close()
        self.flight -= 1

    def refuse(self, peer, reason):
        self.refusals[reason] = self.refusals.get(reason, 0) + 1
        self.end(peer)

    def serve(self, key):
        peer, state = key.fileobj, key.data
        try:
            if state[0]:
                peer.send(state[0])
                state[0] = b""
                self.selector.modify(peer, selectors.EVENT_READ, state)
                return
            heard = peer.recv(65536)
        except OSError as error:
            return self.refuse(peer, str(error))
        if not heard:
            return self.refuse(peer, "closed")
        state[1] += heard
        if b'"error"' in state[1]:
            return self.refuse(peer, state[1][-200:].decode(errors="replace"))
        if b'{"id":3,' in state[1]:
            self.done += 1
            self.end(peer)

    def run(self, count, meanwhile):
        start = time.monotonic()
        while self.done + sum(self.refusals.values()) < count:
            due = min(count, int((time.monotonic() - start) * RATE) + 1)
            while self.begun < due and self.flight < FLIGHT:
                self.begin()
            for key, _ in self.selector.select(0.01):
                self.serve(key)
            meanwhile()
            now = time.monotonic()
            if self.begun == count:
                late = [key for key in self.selector.get_map().values() if key.data[2] < now]
                for key in late:
                    self.refuse(key.fileobj, "no answer in 30 s")
        self.selector.close()
        return time.monotonic() - start


class Busy:
    """A session that goes on, whose one mirror has gone for good."""

    WINDOW = 300

    def __init__(self, port):
        absent = self.connect(port, "absent")
        self.peer = self.connect(port, "busy")
        absent.close()
        self.number, self.next = 2, 0.0
        # Its replay window is full from the start.
        for _ in range(self.WINDOW):
            self.change()
        time.sleep(1)
        self.listen()

    @staticmethod
    def connect(port, device):
        peer = socket.create_connection(("127.0.0.1", port), timeout=20)
        peer.sendall(command(1, connect={"data": {"device": device}})
                     + command(2, subscribe={"channel": "session:busy"}))
        heard = b""
        while b'{"id":2,' not in heard:
            piece = peer.recv(65536)
            if not piece:
                raise SystemExit("retention: the busy session ended")
            heard += piece
        return peer

    def act(self):
        """Twenty changes a second."""
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + 0.05
        self.change()
        self.listen()

    def change(self):
        self.number += 1
        body = {"type": "betslip.update", "stake": f"{self.number % 900 + 1}.00"}
        self.peer.sendall(event(self.number, "busy", body))

    def listen(self):
        """Answers pings."""
        self.peer.settimeout(0)
        heard = b""
        try:
            while piece := self.peer.recv(1 << 20):
                heard += piece
            raise SystemExit("retention: the busy session ended")
        except BlockingIOError:
            pass
        self.peer.settimeout(20)
        if b"\n{}\n" in b"\n" + heard:
            self.peer.sendall(b"{}\n")


class Daemon:
    def __init__(self, folder):
        self.data = folder / "data"
        half = self.half = max(1, LIFE // 6)
        settings = {
            "sessions": {"idleSeconds": half, "retainSeconds": max(1, LIFE - 3 * half),
                         "retainEmptySeconds": max(1, LIFE - 3 * half)},
            "stage": {"graceSeconds": half}, "snapshot": {"seconds": half},
            "log": {"level": "warning"}, "drain": {"seconds": 0},
            "limits": {"connections": 4 * FLIGHT}, "store": {"ballastBytes": 0},
            "listen": "127.0.0.1:0", "data": str(self.data),
            "secrets": {"keyFile": str(folder / "key")},
        }
        (folder / "coordd.json").write_text(json.dumps(settings))
        ready = folder / "ready"
        self.process = subprocess.Popen(
            [COORDD, "serve", "--config", str(folder / "coordd.json"),
             "--ready-file", str(ready)])
        end = time.monotonic() + 20
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit("retention: the daemon does not start")
            time.sleep(0.05)
        self.port = int(ready.read_text().rsplit(":", 1)[1])

    def metrics(self):
        address = f"http://127.0.0.1:{self.port}/metrics"
        with urllib.request.urlopen(address, timeout=30) as page:
            lines = page.read().decode().splitlines()
        return {name: float(value) for name, value in
                (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def measure(self):
        metrics = self.metrics()
        files = [path for path in self.data.rglob("*") if path.is_file()]
        states = {state: int(metrics[f'coordd_sessions{{state="{state}"}}'])
                  for state in ("attached", "suspended", "closed", "quarantined")}
        return {
            "memory in KiB": int(metrics["coordd_process_resident_memory_bytes"]) // 1024,
            "disk in KiB": sum(path.stat().st_blocks for path in files) // 2,
            "descriptors": int(metrics["coordd_process_open_fds"]),
            "files": len(files),
            "sessions in memory": int(metrics["coordd_sessions_active"]),
            **states,
        }

    def retire(self, busy, seconds):
        """Waits until only the busy session is left and all is given back; gives how long the
        first took, and None when that did not happen."""
        start = time.monotonic()
        over = quiet = last = None
        looked = 0.0
        while time.monotonic() - start < seconds:
            if quiet is None:
                busy.act()
            else:
                # What it writes itself is not what is measured.
                busy.listen()
            time.sleep(0.02)
            if time.monotonic() - looked < 0.5:
                continue
            looked = time.monotonic()
            metrics = self.metrics()
            if metrics["coordd_sessions_stored"] > 1:
                quiet = over = None
            elif over is None:
                over = time.monotonic() - start
                # Its replay window is from the time of the others, and goes on to another one.
                last = busy.number + busy.WINDOW
            elif quiet is None:
                quiet = time.monotonic() if busy.number >= last else None
            # Until its snapshot, and three looks, in which space is given back.
            elif time.monotonic() - quiet > self.half + 3 * max(1, LIFE / 8) + 1:
                break
        return over

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def peak(rows):
    return {name: max(row[name] for row in rows) for name in rows[0]}


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    folder = Path(tempfile.mkdtemp(prefix="coordd-retention-"))
    daemon = Daemon(folder)
    try:
        busy = Busy(daemon.port)
        warm = Visits(daemon.port, "warm")
        warm.run(WARM, busy.act)
        if daemon.retire(busy, 4 * LIFE + 30) is None:
            raise SystemExit("retention: the daemon does not get back to a base")
        base = daemon.measure()
        print(f"Base: after {WARM} sessions came and went, beside one busy session.\n"
              f"Then {COUNT} sessions, each of a new device that attaches once; without it one "
              f"lives {LIFE} s.", flush=True)
        rows, looks = [base], [time.monotonic()]

        def meanwhile():
            busy.act()
            if time.monotonic() - looks[0] > 2:
                looks[0] = time.monotonic()
                rows.append(daemon.measure())

        visits = Visits(daemon.port, "visit")
        took = visits.run(COUNT, meanwhile)
        rows.append(daemon.measure())
        over = daemon.retire(busy, 3 * LIFE + 30)
        after = daemon.measure()
        print(f"{visits.done} came in {took:.0f} s, {visits.done / took:.0f} a second; "
              + ("they are not all gone" if over is None
                 else f"the last one was gone {over:.0f} s later"))
        for reason, count in visits.refusals.items():
            print(f"  {count} refused: {reason}")
        print(f"\n  {'':20}{'base':>10}{'peak':>10}{'after':>10}   change")
        failed = over is None or over > 3 * LIFE or bool(visits.refusals)
        for name, high in peak(rows).items():
            change = (after[name] - base[name]) / base[name] if base[name] else 0.0
            isJudged = name in ("memory in KiB", "disk in KiB", "descriptors", "files")
            isOff = change > SHARE if isJudged else after[name] != base[name]
            failed |= isOff
            print(f"  {name:20}{base[name]:>10}{high:>10}{after[name]:>10}   {change:+.1%}"
                  + ("  too much" if isOff else ""))
        return 1 if failed else 0
    finally:
        daemon.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())

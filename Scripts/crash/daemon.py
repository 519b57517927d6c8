"""A daemon of our own on a data folder."""

import os
import re
import shlex
import signal
import subprocess
import time
import urllib.request

from wire import Failed

PROGRAM = os.environ.get("COORDD", ".build/release/coordd")
SETTINGS = {
    "COORDD_LIMITS_EVENTS_PER_SECOND": "1000000",
    "COORDD_LIMITS_CONNECTIONS": "1000",
    "COORDD_PING_INTERVAL_SECONDS": "off",
    "COORDD_DRAIN_SECONDS": "0",
    # The folder is copied all the time, and its disk is small.
    "COORDD_STORE_BALLAST_BYTES": "0", "COORDD_STORE_MINIMUM_FREE_BYTES": "0",
    # Nothing happens by itself while it is stopped or looked at.
    "COORDD_EFFECTS_DEADLINE_SECONDS": "600",
    "COORDD_STAGE_GRACE_SECONDS": "600",
}


class Daemon:
    """`coordd serve` on `data`, with its key and note at `key`; logs into `scratch`."""

    def __init__(self, data, key, scratch, wrapper="", settings=None, program=None, passed=()):
        self.ready = f"{scratch}/ready"
        self.log = f"{scratch}/log"
        if os.path.exists(self.ready):
            os.unlink(self.ready)
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith("COORDD_")}
        with open(self.log, "ab") as log:
            self.logged = log.tell()
            self.process = subprocess.Popen(
                [*shlex.split(wrapper), program or PROGRAM, "serve", "--listen", "127.0.0.1:0",
                 "--ready-file", self.ready, "--data", data],
                env={**inherited, **SETTINGS, "COORDD_SECRETS_KEY_FILE": key, **(settings or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                pass_fds=passed)

    @property
    def identifier(self):
        """Of the daemon, not of a wrapper."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        try:
            found = open(children).read().split()
        except (FileNotFoundError, ProcessLookupError):
            found = []
        return int(found[0]) if found else self.process.pid

    def port(self, seconds=20):
        """Where it listens, as soon as it does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            port = self.port_now()
            if port:
                return port
            if self.process.poll() is not None:
                raise Failed(f"the daemon ended with {self.process.returncode}: {self.words()}")
            time.sleep(0.002)
        raise Failed(f"the daemon is not ready after {seconds} s: {self.words()}")

    def port_now(self):
        try:
            text = open(self.ready).read()
        except FileNotFoundError:
            return None
        return int(text.rsplit(":", 1)[1]) if text.endswith("\n") else None

    def words(self):
        """What it has logged."""
        with open(self.log, "rb") as log:
            log.seek(self.logged)
            return log.read().decode(errors="replace").strip()

    def complaints(self):
        """Warnings and errors among that, and what readiness notes."""
        found = [line for line in self.words().splitlines()
                 if re.search(r'"level":"(warning|error)"|level=(warning|error)', line)]
        url = f"http://127.0.0.1:{self.port()}/readyz"
        with urllib.request.urlopen(url, timeout=10) as answer:
            text = answer.read().decode().strip()
        if text != '{"status":"ready"}':
            found.append(text)
        return found

    def attach(self, *arguments, passed=()):
        """Has strace follow it from now on; returns when that is so."""
        tracer = subprocess.Popen(
            ["strace", "-f", "-qq", "-p", str(self.process.pid), *arguments],
            stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=passed)
        end = time.monotonic() + 10
        folder = f"/proc/{self.process.pid}/task"
        while any(re.search(r"^TracerPid:\t0$", open(f"{folder}/{task}/status").read(), re.M)
                  for task in os.listdir(folder)):
            if tracer.poll() is not None or time.monotonic() > end:
                raise Failed("strace cannot follow the daemon")
            time.sleep(0.002)
        return tracer

    def signal(self, number):
        try:
            os.kill(self.identifier, number)
        except (ProcessLookupError, FileNotFoundError):
            pass

    def stop(self):
        """Stops every thread of it, and returns when they stand."""
        identifier = self.identifier
        os.kill(identifier, signal.SIGSTOP)
        end = time.monotonic() + 10
        while not stands(identifier):
            if time.monotonic() > end:
                raise Failed("the daemon does not stop")
            time.sleep(0.0005)

    def kill(self):
        """Ends it, and a wrapper with it; returns when its folder is free."""
        if self.process.poll() is None:
            identifier = self.identifier
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            # Under a wrapper it is no child of ours.
            end = time.monotonic() + 10
            while lives(identifier) and time.monotonic() < end:
                time.sleep(0.001)


def lives(identifier):
    try:
        text = open(f"/proc/{identifier}/stat").read()
        threads = len(os.listdir(f"/proc/{identifier}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Its files stay open until the last thread has ended.
    return threads > 1 or text[text.rindex(")") + 2] not in "ZX"


def stands(identifier):
    for task in os.listdir(f"/proc/{identifier}/task"):
        try:
            text = open(f"/proc/{identifier}/task/{task}/stat").read()
        except FileNotFoundError:
            continue
        if text[text.rindex(")") + 2] not in "Tt":
            return False
    return True

"""Stops a daemon after each of its system calls that change files."""

import os
import re
import select
import signal
import time

from daemon import stands
from wire import Failed

CALLS = ("pwrite64,fdatasync,fsync,ftruncate,rename,renameat,renameat2,link,linkat,"
         "unlink,unlinkat,mkdir,mkdirat,openat")
# Also for the log and sockets, so only where files are written with it.
WRITE = CALLS + ",write"
LINE = re.compile(r"^\d+ +(\w+)\((.*)$")


class Stops:
    """Follows a daemon through strace; the signal that stops it comes with each of the calls.

    What comes after the call has happened for the whole process: all of its threads stand.
    """

    def __init__(self, calls=CALLS):
        self.calls = calls
        self.input, self.output = os.pipe()
        self.text = ""
        self.lines = []
        self.call = None
        self.daemon = None
        self.identifier = None

    @property
    def arguments(self):
        return ["-o", f"/proc/self/fd/{self.output}", "-y", "-s", "0", "-e", f"trace={self.calls}",
                "-e", f"inject={self.calls}:signal=STOP"]

    @property
    def wrapper(self):
        return " ".join(["strace", "-f", "-qq", *self.arguments])

    def read(self, seconds):
        """Takes a line of the trace; None when none comes in time, "" at its end."""
        end = time.monotonic() + seconds
        while not self.lines:
            rest = end - time.monotonic()
            ready, _, _ = select.select([self.input], [], [], max(0, rest))
            if not ready:
                return None
            chunk = os.read(self.input, 1 << 16).decode(errors="replace")
            if not chunk:
                return ""
            *lines, self.text = (self.text + chunk).split("\n")
            self.lines += lines
        return self.lines.pop(0)

    def next(self, seconds):
        """Waits until the daemon stands after a call.

        Gives the name of the call and the file; None when that does not come in time, and "" as the
        name when the daemon has ended.
        """
        while True:
            line = self.read(seconds)
            if line is None:
                return None
            if line == "":
                return "", ""
            found = LINE.match(line)
            if found:
                self.call = found
            elif "--- SIGSTOP {" in line and "SI_KERNEL" in line:
                self.settle()
                name, rest = (self.call[1], self.call[2]) if self.call else ("?", "")
                paths = re.findall(r'"([^"]*)"|<(/[^>]*)>', rest)
                path = next((a or b for a, b in reversed(paths) if (a or b).startswith("/")), "")
                if "= -1" in rest or name == "openat" and "O_CREAT" not in rest:
                    # It changed nothing.
                    self.go()
                    continue
                return name, path

    def settle(self):
        """Waits until every thread stands."""
        identifier = self.daemon.identifier
        self.identifier = identifier
        end = time.monotonic() + 10
        stopped = set()
        while True:
            tasks = set(os.listdir(f"/proc/{identifier}/task"))
            if tasks <= stopped:
                return
            line = self.read(0.5)
            if line is None:
                if stands(identifier):
                    return
                if time.monotonic() > end:
                    raise Failed("the daemon does not stop")
            elif line.endswith("--- stopped by SIGSTOP ---"):
                stopped.add(line.split()[0])
            elif line == "":
                return

    def go(self):
        try:
            os.kill(self.identifier, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def close(self):
        """After the end of the daemon."""
        while self.read(5) not in (None, ""):
            pass
        os.close(self.input)

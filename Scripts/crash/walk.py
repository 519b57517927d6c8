"""One operation of the store, looked at from one system call to the next."""

import collections
import os
import shutil
import signal
import sqlite3
import time

from daemon import Daemon
from ledger import Ledger, check
from stops import WRITE, Stops
from wire import Failed, drain, pump, wait

# Calls of which each one is looked at.
RARE = {"fdatasync", "fsync", "ftruncate", "rename", "renameat", "renameat2", "link", "linkat",
        "unlink", "unlinkat", "mkdir", "mkdirat", "openat"}
# Calls that are made to fail.
REFUSED = ["rename", "link", "unlink", "fsync", "fdatasync", "ftruncate", "pwrite64", "write"]
# Long enough that no test outlives it.
PATIENCE = {"COORDD_SESSIONS_RETAIN_SECONDS": "31536000", "COORDD_HISTORY_SECONDS": "604800",
            "COORDD_BOUNDS_PLACEMENT_SECONDS": "31536000"}


class Place:
    """A folder with the data and, beside them, the key and the note."""

    def __init__(self, root):
        self.root = root
        os.makedirs(f"{root}/keys", exist_ok=True)

    data = property(lambda self: f"{self.root}/data")
    key = property(lambda self: f"{self.root}/keys/coordd.key")
    database = property(lambda self: f"{self.root}/data/sessions.sqlite")

    def copied(self, root):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.root, root)
        return Place(root)

    def number(self, query):
        """What is in the tables while the daemon stands, or is gone."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=5)
        try:
            row = connection.execute(query).fetchone()
            return int(row[0]) if row and row[0] is not None else 0
        except sqlite3.Error:
            return 0
        finally:
            connection.close()


class Walk:
    """One operation, from one call to the next."""

    def __init__(self, options, work, name):
        self.options, self.work, self.name = options, work, name
        self.seed = options.seed
        shutil.rmtree(f"{work}/{name}", ignore_errors=True)
        self.place = Place(f"{work}/{name}/first")
        self.ledger = Ledger(f"{options.seed}/{name}")
        self.calls = collections.Counter()
        self.files = collections.Counter()
        self.looked = collections.Counter()
        self.pairs = 0
        self.problems = []
        self.since = 0
        self.daemon = None
        self.epochs_may_change = False
        # Whether a warning of the daemon is as it should be; None when all are.
        self.complaints = lambda words: False
        self.extra = None

    def scratch(self, name):
        folder = f"{self.work}/{self.name}/{name}"
        os.makedirs(folder, exist_ok=True)
        return folder

    def start(self, place=None, stops=None, settings=None, scratch="scratch", wrapper=""):
        place = place or self.place
        daemon = Daemon(place.data, place.key, self.scratch(scratch),
                        stops.wrapper if stops else wrapper, {**PATIENCE, **(settings or {})},
                        passed=[stops.output] if stops else [])
        if stops:
            stops.daemon = daemon
            os.close(stops.output)
        return daemon

    def join(self, sessions=2, mirrors=1, stages=True):
        names = [f"s{number}" for number in range(sessions)]
        self.ledger.join(self.daemon.port(), names, mirrors, stages)

    def play(self, answers, limit=1, tick=None):
        """Has so many events answered."""
        goal = self.ledger.answers + answers
        end = time.monotonic() + 600
        while self.ledger.answers < goal:
            self.ledger.play(limit)
            pump(self.ledger.connections, 0.001)
            if tick:
                tick()
            if time.monotonic() > end:
                raise Failed("the load takes too long")

    def attach(self):
        """Follows the daemon, which is up, from now on."""
        stops = Stops()
        stops.daemon = self.daemon
        self.tracer = self.daemon.attach(*stops.arguments, passed=[stops.output])
        os.close(stops.output)
        return stops

    def look_if_stopped(self, stops, seconds=0):
        """Looks at the folder if the daemon stands; false when it has ended."""
        while True:
            stop = stops.next(seconds)
            if stop is None:
                return True
            name, path = stop
            if name == "":
                return False
            if path.startswith(self.place.root):
                self.calls[name] += 1
                self.files[name, os.path.basename(path)] += 1
                drain(self.ledger.connections)
                if self.is_wanted(name):
                    self.look(f"after {name} number {self.calls[name]} of {os.path.basename(path)}")
                    self.looked[name] += 1
            stops.go()

    def is_wanted(self, name):
        """Each of the rare calls, and of the others each one until a bound, then fewer and fewer."""
        self.since += 1
        looked = sum(self.looked.values())
        if self.since >= 1 + looked // self.options.bound or (
                name in RARE and looked < 4 * self.options.bound):
            self.since = 0
            return True
        return False

    def look(self, where):
        """What a crash here would leave."""
        copy = self.place.copied(f"{self.work}/{self.name}/copy")
        looked = sum(self.looked.values())
        if looked % self.options.pairs == 0 and self.pairs < 10 * self.options.bound:
            self.look_twice(copy, where)
            copy = self.place.copied(copy.root)
        if self.options.control:
            # What a database without its log has not.
            for name in os.listdir(copy.data):
                if name.endswith("-wal"):
                    os.unlink(f"{copy.data}/{name}")
        self.examine(copy, where)

    def look_twice(self, copy, where):
        """A second crash at each of the calls with which the daemon starts after the first."""
        stops = Stops(WRITE)
        daemon = self.start(copy, stops, scratch="second")
        number = since = looked = 0
        try:
            while True:
                stop = stops.next(0.05)
                if stop is None:
                    if daemon.port_now():
                        return
                    if daemon.process.poll() is not None:
                        raise Failed(f"{where}: the daemon ended: {daemon.words()}")
                    continue
                name, path = stop
                if name == "":
                    self.problems.append(f"{where}: the daemon ended: {daemon.words()}")
                    return
                if path.startswith(copy.root):
                    number, since = number + 1, since + 1
                    if name in RARE or since >= 1 + looked // self.options.bound:
                        since, looked = 0, looked + 1
                        again = copy.copied(f"{self.work}/{self.name}/again")
                        self.examine(again, f"{where}, then after call {number} of the start, "
                                            f"{name} of {os.path.basename(path)}")
                        self.pairs += 1
                stops.go()
        finally:
            daemon.kill()
            stops.close()

    def examine(self, place, where):
        daemon = self.start(place, settings={"COORDD_AUTH_CREATE_SESSIONS": "false"},
                            scratch="check")
        try:
            port = daemon.port()
            problems, _ = check(self.ledger, port, self.epochs_may_change)
            problems += [] if self.complaints is None else [
                words for words in daemon.complaints() if not self.complaints(words)]
            if self.extra:
                problems += self.extra(place, port)
        except Failed as failure:
            problems = [str(failure)]
        finally:
            daemon.kill()
        for problem in problems:
            self.problems.append(f"{where}: {problem}")

    def follow_start(self, calls=WRITE, settings=None, seconds=0.3):
        """Starts the daemon and looks after each call until it has been quiet for so long."""
        stops = Stops(calls)
        self.daemon = self.start(None, stops, settings)
        self.look_until_quiet(stops, seconds)
        self.daemon.kill()
        stops.close()

    def refuse_start(self):
        """Starts the daemon while the Nth call of a kind fails, for each N; then once more without.

        The start may fail for that, but nothing may be lost by it.
        """
        trace = f"{self.work}/{self.name}/trace"
        for call in REFUSED:
            for number in range(1, self.options.bound + 1):
                copy = self.place.copied(f"{self.work}/{self.name}/copy")
                self.daemon = self.start(
                    copy, settings={}, scratch="refused",
                    wrapper=f"strace -f -qq -y -o {trace} -e trace={call} "
                            f"-e inject={call}:error=EIO:when={number}")
                try:
                    self.daemon.port()
                    code = 0
                except Failed:
                    code = self.daemon.process.wait()
                self.daemon.kill()
                with open(trace) as lines:
                    hit = [line for line in lines if "(INJECTED)" in line]
                if not hit:
                    break
                if copy.root not in hit[0]:
                    # The log, or how the threads wake each other.
                    continue
                self.calls[call] += 1
                self.looked[call] += 1
                where = f"{hit[0].split(maxsplit=1)[1].strip()}, number {number}"
                if code not in (0, 1):
                    self.problems.append(f"{where}: the daemon ended with {code}")
                self.examine(copy, where)

    def look_until_quiet(self, stops, seconds):
        quiet = 0
        while quiet < seconds or not self.daemon.port_now():
            before = sum(self.calls.values())
            if not self.look_if_stopped(stops, 0.05):
                if self.daemon.process.poll() != 0:
                    self.problems.append(f"the daemon ended: {self.daemon.words()}")
                return
            quiet = 0 if sum(self.calls.values()) != before else quiet + 0.05

    def play_followed(self, answers, limit=1, until=None):
        """Has events answered while the daemon is stopped at each of its calls."""
        stops = self.attach()
        goal = self.ledger.answers + answers
        while self.ledger.answers < goal and not (until and until()):
            if self.ledger.underway < limit * 2:
                self.ledger.play(limit)
            pump(self.ledger.connections, 0.001)
            if not self.look_if_stopped(stops):
                raise Failed(f"the daemon ended: {self.daemon.words()}")
        self.daemon.kill()
        stops.close()

    def filled(self, answers=60, settings=None, limit=4, clean=False, stages=True):
        """A folder with some sessions, after a crash or a clean stop; also one more time."""
        self.daemon = self.start(settings=settings)
        # A phone that leaves is a revision, which nobody would see.
        self.join(stages=stages and not clean)
        self.play(answers, limit)
        if clean:
            wait(self.ledger.connections, lambda: self.ledger.underway == 0, 20)
            drain(self.ledger.connections)
            self.ledger.leave()
            self.daemon.signal(signal.SIGTERM)
            self.daemon.process.wait()
        else:
            self.daemon.stop()
            drain(self.ledger.connections)
            self.ledger.leave()
            self.daemon.kill()

    def damage(self, offset, count):
        with open(self.place.database, "r+b") as file:
            file.seek(offset)
            file.write(b"\xa5" * count)

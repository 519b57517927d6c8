"""Looks at a data folder after each system call that changed it. See crash-points.sh.

A process that is killed loses nothing that it gave to the kernel, so what a crash after a system
call leaves is what the folder holds then. The daemon is stopped there, the folder copied, and a
daemon started on the copy.
"""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time

from daemon import Daemon
from ledger import Ledger, Session, check
from stops import WRITE, Stops
from wire import Failed, drain, pump, wait

FIXTURE = "Tests/ActorsTests/Store/Fixtures/version-1"
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


def first_start(walk):
    walk.complaints = lambda words: "is there and empty: it is made anew" in words
    walk.follow_start()


def start(walk, follow=Walk.follow_start):
    walk.filled()
    follow(walk)


def commit(walk):
    walk.daemon = walk.start()
    walk.join()
    walk.play_followed(40, limit=2)


def snapshot(walk):
    walk.daemon = walk.start(settings={"COORDD_SNAPSHOT_REVISIONS": "3"})
    walk.join()
    walk.play_followed(40)
    if walk.place.number("SELECT sum(number) FROM snapshot") < 20:
        raise Failed("there were no snapshots")


def trim(walk):
    """The journal is trimmed every 4096 commits."""
    walk.daemon = walk.start(settings={"COORDD_SNAPSHOT_REVISIONS": "20"})
    walk.join(2, 3)
    while walk.place.number("SELECT max(seq) FROM journal") < 4070:
        walk.play(20, limit=8 if walk.ledger.answers < 3900 else 1)
    walk.play_followed(
        120, until=lambda: walk.place.number("SELECT value FROM meta WHERE name = 'trimmed'") > 2)
    if walk.place.number("SELECT min(seq) FROM journal") < 100:
        raise Failed("the journal was not trimmed")


def checkpoint(walk):
    """SQLite copies its log into the database when it has 4000 pages, and begins it anew."""
    walk.daemon = walk.start(settings={"COORDD_SNAPSHOT_REVISIONS": "50"})
    walk.join()
    log = f"{walk.place.database}-wal"
    while os.path.getsize(log) < 3970 * 4120:
        walk.play(20 if os.path.getsize(log) < 3500 * 4120 else 1)
    walk.play_followed(60)
    if walk.files["pwrite64", "sessions.sqlite"] == 0:
        raise Failed("the log was not copied into the database")


def stop(walk):
    """A clean stop trims, copies the log, and syncs the note."""
    walk.daemon = walk.start(settings={"COORDD_SNAPSHOT_REVISIONS": "9"})
    walk.join()
    walk.play(100, limit=4)
    stops = walk.attach()
    walk.daemon.signal(signal.SIGTERM)
    end = time.monotonic() + 300
    while walk.look_if_stopped(stops, 0.05):
        pump(walk.ledger.connections, 0)
        if time.monotonic() > end:
            raise Failed("the daemon does not end")
    if walk.daemon.process.wait() != 0:
        walk.problems.append(f"the daemon ended with {walk.daemon.process.returncode}")
    walk.examine(walk.place.copied(f"{walk.work}/{walk.name}/copy"), "at the end")
    stops.close()


def deletion(walk):
    """Sessions that nobody came back to are deleted, whole or not at all."""
    walk.filled(60, {"COORDD_SESSIONS_IDLE_SECONDS": "1"})
    daemon = walk.start(settings={"COORDD_SESSIONS_IDLE_SECONDS": "1"})
    daemon.port()
    daemon.signal(signal.SIGTERM)
    daemon.process.wait()
    time.sleep(2.1)
    for session in walk.ledger.sessions.values():
        session.may_be_gone = True
    walk.extra = lambda place, port: [
        f"table {table} still has rows of deleted sessions" for table in
        ("snapshot", "window", "request") if place.number(
            f"SELECT count(*) FROM {table} WHERE session NOT IN (SELECT key FROM session)")]
    walk.follow_start(settings={"COORDD_SESSIONS_RETAIN_SECONDS": "1"}, seconds=1)
    if walk.place.number("SELECT count(*) FROM session") > 0:
        raise Failed("no session was deleted")


def migration(walk, follow=Walk.follow_start):
    """A folder of schema version 1."""
    os.mkdir(walk.place.data)
    os.chmod(walk.place.data, 0o700)
    shutil.copy(f"{FIXTURE}.sqlite", walk.place.database)
    shutil.copy(f"{FIXTURE}.key", walk.place.key)
    for file in (walk.place.database, walk.place.key):
        os.chmod(file, 0o600)
    # Whatever day it is: none of them is old.
    database = sqlite3.connect(walk.place.database)
    database.execute("UPDATE session SET idle_since = ?", [int(time.time() * 1000)])
    database.commit()
    database.close()
    for line in open(f"{FIXTURE}.jsonl"):
        expected = json.loads(line)
        session = walk.ledger.sessions[expected["session"]] = Session(expected["session"])
        session.epoch, session.state = expected["epoch"], expected["state"]
        session.top = session.folded = expected["rev"]
        session.ages = True
    # An id of the older version, and its answer.
    walk.ledger.sessions["watch-1"].acknowledged["tablet"] = [
        ("id-19", {"type": "betslip.update", "stake": "20.00"}, 20)]
    follow(walk)
    if follow == Walk.follow_start and walk.place.number("PRAGMA user_version") != 2:
        raise Failed("nothing was migrated")


def salvage(walk, follow=Walk.follow_start):
    """A damaged header, after a crash: a new database takes the place of the old one."""
    # The log must not hold all that the database does.
    settings = {"COORDD_SNAPSHOT_REVISIONS": "9"}
    walk.filled(400, settings, clean=True)
    walk.filled(30, settings, stages=False)
    walk.damage(0, 100)
    walk.complaints = None
    follow(walk)
    if follow == Walk.follow_start and not any(".damaged-" in name for name in os.listdir(walk.place.data)):
        raise Failed("nothing was saved")


def salvage_with_losses(walk):
    """A damaged page, after a clean stop: rows may be missing that nobody misses, so epochs are new."""
    walk.filled(60, {"COORDD_SNAPSHOT_REVISIONS": "9"}, clean=True)
    page = walk.place.number("SELECT rootpage FROM sqlite_schema WHERE name = 'remains'")
    walk.damage(4096 * (page - 1), 8)
    open(f"{walk.place.database}.suspect", "w").close()
    walk.complaints = None
    walk.epochs_may_change = True
    walk.follow_start()
    if not any(".damaged-" in name for name in os.listdir(walk.place.data)):
        raise Failed("nothing was saved")


def refused_start(walk):
    """No crash, but a call that fails."""
    start(walk, Walk.refuse_start)


def refused_migration(walk):
    migration(walk, Walk.refuse_start)


def refused_salvage(walk):
    salvage(walk, Walk.refuse_start)


# A row for each operation of the store; an online backup will be one more.
OPERATIONS = [first_start, start, commit, snapshot, trim, checkpoint, stop, deletion, migration,
              salvage, salvage_with_losses, refused_start, refused_migration, refused_salvage]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("operations", nargs="*")
    parser.add_argument("--bound", type=int, default=30,
                        help="calls of an operation that are all looked at, before fewer are")
    parser.add_argument("--pairs", type=int, default=25,
                        help="a second crash follows after every so many")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--control", action="store_true",
                        help="lose the log at each crash: then there must be problems")
    options = parser.parse_args()
    print(f"crash-points: seed {options.seed}")
    rows, failed = [], False
    for operation in OPERATIONS:
        name = operation.__name__.replace("_", "-")
        if options.operations and name not in options.operations:
            continue
        walk = Walk(options, options.work, name)
        began = time.monotonic()
        try:
            operation(walk)
        except Failed as failure:
            walk.problems.append(f"it did not come to its end: {failure}")
        finally:
            if walk.daemon:
                walk.daemon.kill()
            walk.ledger.leave()
        shutil.rmtree(f"{options.work}/{name}", ignore_errors=True)
        for problem in walk.problems[:20]:
            print(f"  {name}: {problem[:700]}", flush=True)
        failed = failed or bool(walk.problems)
        calls = ", ".join(f"{count} {call}" for call, count in sorted(walk.calls.items()))
        verdict = f"{len(walk.problems)} PROBLEMS" if walk.problems else "nothing lost"
        rows.append((name, str(sum(walk.calls.values())), str(sum(walk.looked.values())),
                     str(walk.pairs), f"{time.monotonic() - began:.0f} s", verdict, calls))
        print(f"{name}: {' '.join(rows[-1][1:6])} ({calls})", flush=True)
    head = ("operation", "calls", "crashes", "pairs", "time", "verdict", "calls by kind")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(6)]
    print()
    for row in [head, *rows]:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)) + f"  {row[6]}")
    if options.control and not failed:
        print("FAILED: this check does not see what is lost")
    sys.exit(failed != options.control)


if __name__ == "__main__":
    # So that whatever is under way is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Failed as failure:
        print(f"crash-points: {failure}", file=sys.stderr)
        sys.exit(1)

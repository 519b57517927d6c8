"""Cuts the power of a daemon's disk again and again and looks what is left. See power-cut.sh."""

import argparse
import os
import random
import shutil
import signal
import sys
import time

import operations
from daemon import Daemon
from disks import CachedDisk, Disk, run
from ledger import Ledger, check
from walk import Place, Walk
from wire import Failed, drain, pump

# Cuts of one file system before a new one is made.
ROUND = 5
# A disk that says it has written what it has not.
CONTROL = ("-o", "/dev/null", "-e", "trace=fdatasync,fsync",
           "-e", "inject=fdatasync,fsync:retval=0")


class Cutter:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.random = random.Random(options.seed)
        self.cuts = self.losses = self.answers = self.compared = 0
        self.slowest = 0.0

    def round(self, number, cuts):
        """One file system and one daemon, with a few cuts of its disk."""
        kind = CachedDisk if number // 2 % 2 == 1 and os.path.exists("/dev/fuse") else Disk
        disk = Disk.make(kind, f"{self.work}/disk", f"{self.work}/mounted")
        # Where the key is, the note of the newest transaction is too: on the disk, or on another
        # one that loses nothing.
        outside = number % 2 == 1
        keys = f"{self.work}/keys-{number}" if outside else f"{disk.folder}/keys"
        os.mkdir(keys)
        scratch = f"{self.work}/scratch"
        os.makedirs(scratch, exist_ok=True)
        settings = {"COORDD_SNAPSHOT_REVISIONS": str(self.random.choice([7, 40, 200]))}
        ledger = Ledger(self.random.getrandbits(32))
        tracer = None
        daemon = Daemon(f"{disk.folder}/data", f"{keys}/coordd.key", scratch, settings=settings)
        try:
            # The first cut may come before the daemon serves anybody.
            if number % 2 == 0 and not self.options.control:
                time.sleep(self.random.uniform(0, 0.06))
                self.cut(disk, daemon, ledger, keys, outside, "starting")
                cuts -= 1
            port = daemon.port()
            ledger.join(port, [f"s{number}-{place}" for place in range(8)], mirrors=2)
            if self.options.control:
                run("sync", "-f", disk.folder)
                tracer = daemon.attach(*CONTROL)
            for _ in range(cuts):
                self.load(ledger, self.random.uniform(0.02, self.options.seconds))
                self.cut(disk, daemon, ledger, keys, outside, "playing")
        finally:
            ledger.leave()
            daemon.kill()
            if tracer:
                tracer.wait()
            disk.unmount()

    def load(self, ledger, seconds):
        """Events in bursts and pauses, and then in the middle of one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            burst = min(end, time.monotonic() + self.random.uniform(0.05, 0.6))
            limit = self.random.choice([1, 4, 16])
            while time.monotonic() < burst:
                for _ in range(6):
                    ledger.play(limit)
                pump(ledger.connections, 0.005)
            pause = min(end, time.monotonic() + self.random.uniform(0, 0.1))
            while time.monotonic() < pause:
                pump(ledger.connections, 0.01)
        for _ in range(20):
            ledger.play(8)

    def cut(self, disk, daemon, ledger, keys, outside, doing):
        copy, folder = f"{self.work}/copy", f"{self.work}/restored"
        answered = ledger.answers
        began = time.monotonic()
        try:
            if disk.is_instant:
                # What was heard before is what counts; the daemon goes on, in the midst of a flush.
                for connection in ledger.connections:
                    connection.read()
            else:
                daemon.stop()
                drain(ledger.connections)
            if outside:
                shutil.rmtree(f"{self.work}/keys-cut", ignore_errors=True)
                shutil.copytree(keys, f"{self.work}/keys-cut")
            given = disk.cut(copy, self.random.getrandbits(32))
        finally:
            daemon.signal(signal.SIGCONT)
        self.cuts += 1
        self.slowest = max(self.slowest, time.monotonic() - began)
        restored = Disk(copy, folder)
        second = f"{self.work}/second"
        os.makedirs(second, exist_ok=True)
        key = f"{self.work}/keys-cut" if outside else f"{folder}/keys"
        os.makedirs(key, exist_ok=True)
        other = Daemon(f"{folder}/data", f"{key}/coordd.key", second)
        problems, compared = [], 0
        try:
            port = other.port()
            problems, compared = check(ledger, port)
            # A first start that was cut short begins anew, and says so.
            problems += [words for words in other.complaints()
                         if doing != "starting" or "it is made anew" not in words]
        except Failed as failure:
            problems.append(str(failure))
        finally:
            other.kill()
            restored.unmount()
        self.compared += compared
        self.losses += bool(problems)
        self.answers = self.answers + ledger.answers - answered
        tops = sum(session.top for session in ledger.sessions.values())
        print(f"cut {self.cuts}: {doing}, key {'outside' if outside else 'on the disk'}, {given}, "
              f"{ledger.answers} answered, {tops} revisions seen, {ledger.underway} under way: "
              f"{f'{len(problems)} problems' if problems else 'nothing lost'}", flush=True)
        for problem in problems[:3 if self.options.control else 20]:
            print(f"  {problem[:600]}", flush=True)


def cut_start(options, work, name, prepare):
    """Cuts before flushes of a start on a folder that `prepare` makes, until one has no more.

    The first ten are all cut, later ones fewer and fewer.
    """
    walk = Walk(options, work, name)
    prepare(walk)
    chance = random.Random(options.seed)
    number = cuts = 0
    while True:
        disk = Disk.make(CachedDisk, f"{work}/disk", f"{work}/mounted", mebibytes=40)
        place = walk.place.copied(f"{disk.folder}/place")
        run("sync", "-f", disk.folder)
        disk.order(f"{work}/copy", chance.getrandbits(32), number)
        walk.daemon = walk.start(place)
        lost, came = disk.outcome()
        walk.daemon.kill()
        disk.unmount()
        restored = Disk(f"{work}/copy", f"{work}/restored")
        walk.examine(Place(f"{restored.folder}/place"), f"cut before flush {number + 1}, {lost}")
        restored.unmount()
        cuts += came
        if not came:
            break
        number += 1 + number // 10
    for problem in walk.problems[:20]:
        print(f"  {name}: {problem[:600]}", flush=True)
    words = f"{len(walk.problems)} problems" if walk.problems else "nothing lost"
    print(f"{name}: {cuts} cuts before one of its flushes: {words}", flush=True)
    return not walk.problems


def starts(options, work):
    """Starts that do more than read: all of them are cut short."""
    def nothing(walk):
        return None

    def first(walk):
        walk.complaints = lambda words: "is there and empty: it is made anew" in words

    return all([
        cut_start(options, work, "first-start", first),
        cut_start(options, work, "start", lambda walk: operations.start(walk, nothing)),
        cut_start(options, work, "migration", lambda walk: operations.migration(walk, nothing)),
        cut_start(options, work, "salvage", lambda walk: operations.salvage(walk, nothing)),
    ])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=2.5, help="longest time between two cuts")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    print(f"power-cut: seed {options.seed}, {options.cuts} cuts"
          + (", on a disk that writes nothing when it is told to" if options.control else ""))
    began = time.monotonic()
    cutter = Cutter(options, options.work)
    number = 0
    while cutter.cuts < options.cuts:
        cutter.round(number, min(ROUND, options.cuts - cutter.cuts))
        number += 1
    print(f"{cutter.cuts} cuts in {time.monotonic() - began:.0f} s, {cutter.compared} revisions "
          f"compared, {cutter.losses} cuts lost something (seed {options.seed})")
    if options.control:
        if cutter.losses == 0:
            print("FAILED: this check does not see what such a disk loses")
        sys.exit(0 if cutter.losses > 0 else 1)
    held = True
    if os.path.exists("/dev/fuse"):
        held = starts(options, options.work)
    else:
        print("cuts of starts are skipped: there is no /dev/fuse")
    sys.exit(0 if held and cutter.losses == 0 else 1)


if __name__ == "__main__":
    # So that whatever is under way is ended and unmounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Failed as failure:
        print(f"power-cut: {failure}", file=sys.stderr)
        sys.exit(1)

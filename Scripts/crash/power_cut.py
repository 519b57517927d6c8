"""Cuts the power of a daemon's disk again and again and looks what is left. See power-cut.sh."""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from daemon import Daemon
from ledger import Ledger, check
from wire import Failed, drain, pump

MEBIBYTES = 200
# Cuts of one file system before a new one is made.
ROUND = 5
# A disk that says it has written what it has not.
CONTROL = ("-o", "/dev/null", "-e", "trace=fdatasync,fsync",
           "-e", "inject=fdatasync,fsync:retval=0")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Disk:
    """An ext4 file system in a file, mounted through a loop device."""

    # Whether a cut takes no time, so that nobody has to stand still for it.
    is_instant = False

    def __init__(self, image, folder):
        self.image, self.folder = image, folder
        os.makedirs(folder, exist_ok=True)
        run("mount", "-o", "loop", image, folder)
        self.device = os.path.basename(run("findmnt", "-n", "-o", "SOURCE", folder).strip())

    @staticmethod
    def make(kind, image, folder):
        if os.path.exists(image):
            os.unlink(image)
        with open(image, "wb") as file:
            file.truncate(MEBIBYTES << 20)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        disk = kind(image, folder)
        run("sync", "-f", folder)
        return disk

    def written(self):
        """Requests to write that the device has done with or has begun."""
        fields = open(f"/sys/block/{self.device}/stat").read().split()
        return fields[4], fields[8]

    def cut(self, copy, seed):
        """Copies what the device was given; what the kernel still keeps for later is lost.

        The kernel may write meanwhile, which would mix two moments: then once more.
        """
        for _ in range(50):
            before = self.written()
            run("cp", "--sparse=always", self.image, copy)
            if before[1] == "0" and self.written() == before:
                return "all that the device was given"
        raise Failed("the disk is never quiet")

    def unmount(self):
        for _ in range(50):
            if subprocess.run(["umount", self.folder], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise Failed(f"{self.folder} cannot be unmounted")


class CachedDisk(Disk):
    """The same on a device that has a cache and loses what came after its last flush."""

    is_instant = True

    def __init__(self, image, folder):
        self.below = f"{folder}-below"
        os.makedirs(self.below, exist_ok=True)
        self.server = subprocess.Popen(
            [sys.executable, f"{os.path.dirname(__file__)}/volatile_disk.py", image, self.below],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self.server.stdout.readline() != "mounted\n":
            raise Failed("there is no disk with a cache")
        super().__init__(f"{self.below}/disk", folder)

    def cut(self, copy, seed):
        print(copy, seed, file=self.server.stdin, flush=True)
        lost, of, flushes = self.server.stdout.readline().split()
        return f"{lost} of {of} blocks lost that came after flush {flushes}"

    def unmount(self):
        super().unmount()
        run("umount", self.below)
        self.server.wait()


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
            problems += other.complaints()
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
    sys.exit(1 if cutter.losses > 0 else 0)


if __name__ == "__main__":
    # So that whatever is under way is ended and unmounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Failed as failure:
        print(f"power-cut: {failure}", file=sys.stderr)
        sys.exit(1)

"""Disks whose power can be cut."""

import os
import subprocess
import sys
import time

from wire import Failed

MEBIBYTES = 200


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
    def make(kind, image, folder, mebibytes=MEBIBYTES):
        if os.path.exists(image):
            os.unlink(image)
        with open(image, "wb") as file:
            file.truncate(mebibytes << 20)
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
        """Right before the next flush, or soon, when none comes."""
        self.order(copy, seed, 0)
        return self.outcome()[0]

    def order(self, copy, seed, flushes):
        """Asks for a cut after so many flushes."""
        print(copy, seed, flushes, file=self.server.stdin, flush=True)

    def outcome(self):
        """What the cut that was asked for has lost, in words, and whether that many flushes came."""
        lost, of, flushes, when = self.server.stdout.readline().split()
        return f"{lost} of {of} blocks lost that came after flush {flushes}", when == "flush"

    def unmount(self):
        super().unmount()
        run("umount", self.below)
        self.server.wait()

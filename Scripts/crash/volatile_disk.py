"""A disk with a cache of its own, which it loses when the power goes.

A file system of one file, served through /dev/fuse; a loop device on that file hands on every write
and every flush. What was written since the last flush is kept apart: of that a cut keeps any blocks
and loses the others. Run as a process of its own: it must never touch what is mounted from it.
"""

import ctypes
import errno
import mmap
import os
import random
import select
import stat
import struct
import sys

BLOCK = 4096
ROOT, FILE = 1, 2
LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE = 1, 2, 3, 4, 14, 15, 16
RELEASE, FSYNC, FLUSH, INIT, INTERRUPT, BATCH_FORGET = 18, 20, 25, 26, 36, 42
# Seconds without a request after which no more flush is expected.
IDLE = 1
# The largest write, and what must be read at once for it.
LARGEST = 1 << 20


class VolatileDisk:
    def __init__(self, image, folder):
        self.size = os.path.getsize(image)
        self.now = mmap.mmap(-1, self.size)
        self.safe = mmap.mmap(-1, self.size)
        with open(image, "rb") as file:
            for place in range(0, self.size, LARGEST):
                chunk = file.read(LARGEST)
                if any(chunk):
                    self.now[place:place + len(chunk)] = chunk
                    self.safe[place:place + len(chunk)] = chunk
        # Blocks that were written since the last flush.
        self.unsafe = set()
        self.flushes = 0
        # A cut that was asked for: the file, the seed, and how many flushes come before it.
        self.awaited = None
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fuse},rootmode=40000,user_id=0,group_id=0".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"volatile", folder.encode(), b"fuse", 0, options) != 0:
            sys.exit(f"cannot mount a file system of our own: {os.strerror(ctypes.get_errno())}")

    def attributes(self, node):
        mode = stat.S_IFDIR | 0o700 if node == ROOT else stat.S_IFREG | 0o600
        size = 0 if node == ROOT else self.size
        return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                           BLOCK, 0)

    def answer(self, request):
        """The answer to a request; None where there is none, a number for an error."""
        operation, node, body = *struct.unpack_from("<4xI8xQ", request), request[40:]
        if operation in (FORGET, BATCH_FORGET, INTERRUPT):
            return None
        if operation == INIT:
            # Large writes, of up to 256 pages.
            return struct.pack("<4I2H2I2HI28x", 7, 31, 0, 1 << 5 | 1 << 22, 16, 12, LARGEST, 1,
                               LARGEST // BLOCK, 0, 0)
        if operation == LOOKUP:
            if node != ROOT or body.rstrip(b"\0") != b"disk":
                return errno.ENOENT
            return struct.pack("<4Q2I", FILE, 0, 3600, 3600, 0, 0) + self.attributes(FILE)
        if operation in (GETATTR, SETATTR):
            return struct.pack("<QII", 3600, 0, 0) + self.attributes(node)
        if operation == OPEN:
            # The kernel keeps none of it for itself.
            return struct.pack("<QII", 1, 1, 0)
        if operation == READ:
            offset, size = struct.unpack_from("<8xQI", body)
            return self.now[offset:offset + size]
        if operation == WRITE:
            offset, size = struct.unpack_from("<8xQI", body)
            self.now[offset:offset + size] = body[40:40 + size]
            self.unsafe.update(range(offset // BLOCK, (offset + size - 1) // BLOCK + 1))
            return struct.pack("<II", size, 0)
        if operation == FSYNC:
            if self.awaited and self.awaited[2] == 0:
                self.cut_as_asked("flush")
            elif self.awaited:
                self.awaited[2] -= 1
            self.flushes += 1
            for block in self.unsafe:
                place = block * BLOCK
                self.safe[place:place + BLOCK] = self.now[place:place + BLOCK]
            self.unsafe.clear()
            return b""
        return b"" if operation in (FLUSH, RELEASE) else errno.ENOSYS

    def cut_as_asked(self, when):
        copy, seed, _ = self.awaited
        self.awaited = None
        print(self.cut(copy, seed), when, flush=True)

    def cut(self, copy, seed):
        """Writes what a cut leaves into a file; gives how many blocks were lost, and of how many."""
        choice = random.Random(seed)
        share = choice.choice([0, 0.1, 0.5, 0.9])
        kept = {block for block in sorted(self.unsafe) if choice.random() < share}
        empty = bytes(LARGEST)
        with open(copy, "wb") as file:
            file.truncate(self.size)
            for place in range(0, self.size, LARGEST):
                chunk = self.safe[place:place + LARGEST]
                if chunk != empty:
                    os.pwrite(file.fileno(), chunk, place)
            for block in kept:
                place = block * BLOCK
                os.pwrite(file.fileno(), self.now[place:place + BLOCK], place)
        return f"{len(self.unsafe) - len(kept)} {len(self.unsafe)} {self.flushes}"

    def serve(self):
        """Until the file system is unmounted; a line of the standard input asks for a cut."""
        commands = sys.stdin.fileno()
        sources = [self.fuse, commands]
        while True:
            ready, _, _ = select.select(sources, [], [], IDLE if self.awaited else None)
            if not ready:
                self.cut_as_asked("idle")
            if commands in ready:
                line = os.read(commands, 4096).decode().split()
                if line:
                    self.awaited = [line[0], line[1], int(line[2])]
                else:
                    sources.remove(commands)
            if self.fuse in ready:
                try:
                    request = os.read(self.fuse, LARGEST + 4096)
                except OSError as error:
                    if error.errno == errno.ENODEV:
                        return
                    if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                        continue
                    raise
                answer = self.answer(request)
                if answer is None:
                    continue
                code, body = (-answer, b"") if isinstance(answer, int) else (0, answer)
                unique, = struct.unpack_from("<8xQ", request)
                try:
                    os.write(self.fuse, struct.pack("<IiQ", 16 + len(body), code, unique) + body)
                except OSError as error:
                    # Whoever asked has gone.
                    if error.errno != errno.ENOENT:
                        raise


if __name__ == "__main__":
    disk = VolatileDisk(sys.argv[1], sys.argv[2])
    print("mounted", flush=True)
    disk.serve()

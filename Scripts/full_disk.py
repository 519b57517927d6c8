"""What coordd does on a full disk; run by full-disk.sh, which mounts the disk."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

MIB = 1 << 20
BALLAST = 16 * MIB
MARK = 8 * MIB
WRITERS = 8
FAILURES = []


def check(holds, words):
    print(("ok      " if holds else "FAILED  ") + words, flush=True)
    if not holds:
        FAILURES.append(words)


class Daemon:
    """A daemon on a data folder, started through `wrapper`."""

    def __init__(self, program, data, work, wrapper=(), ballast=BALLAST, mark=MARK):
        self.ready = os.path.join(work, "ready")
        self.log = os.path.join(work, "log")
        if os.path.exists(self.ready):
            os.unlink(self.ready)
        environment = dict(
            os.environ, XDG_CONFIG_HOME=os.path.join(work, "config"),
            COORDD_STORE_BALLAST_BYTES=str(ballast), COORDD_STORE_MINIMUM_FREE_BYTES=str(mark),
            COORDD_SESSIONS_IDLE_SECONDS="3600")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*wrapper, program, "serve", "--listen", "127.0.0.1:0", "--data", data,
                 "--ready-file", self.ready], env=environment, stderr=log)
        # For whoever tidies up, should this program be ended.
        with open(os.path.join(work, "pids"), "a") as pids:
            pids.write(f"{self.process.pid}\n")
        self.address = None

    def serving(self):
        """Waits until it takes clients; false when it ended instead."""
        while not os.path.exists(self.ready):
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        with open(self.ready) as file:
            host, port = file.read().strip().rsplit(":", 1)
        self.address = (host, int(port))
        return True

    def get(self, path):
        try:
            with urllib.request.urlopen(
                    f"http://{self.address[0]}:{self.address[1]}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def gauge(self, name):
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


class Connection:
    """A connection that asks one thing at a time."""

    def __init__(self, address, device):
        self.socket = socket.create_connection(address, timeout=20)
        self.file = self.socket.makefile("rwb")
        self.number = 0
        self.ask({"connect": {"data": {"device": device}}})

    def ask(self, request):
        self.number += 1
        self.send({"id": self.number, **request})
        while True:
            line = self.file.readline()
            if not line:
                raise ConnectionError("closed")
            answer = json.loads(line)
            if answer == {}:
                self.send({})
            elif answer.get("id") == self.number:
                return answer

    def send(self, message):
        self.file.write(json.dumps(message).encode() + b"\n")
        self.file.flush()

    def call(self, method, **data):
        return self.ask({"rpc": {"method": method, "data": data}})

    def close(self):
        self.socket.close()


class Writer:
    """A second screen whose every event has an id and is sent until its fate is known."""

    def __init__(self, number):
        self.session = f"full-{number}"
        self.next = 0
        # The event that was sent and not answered.
        self.open = None
        self.revisions = {}
        self.refusals = []
        self.problems = []

    def run(self, address, until):
        try:
            connection = Connection(address, self.session)
            connection.ask({"subscribe": {"channel": f"session:{self.session}"}})
            while not until.is_set():
                if self.open is None:
                    self.next += 1
                    self.open = self.next
                self.take(connection.call(
                    "session.apply", session=self.session, id=f"e-{self.open}",
                    event={"type": "betslip.update", "stake": str(self.open)}))
                if self.refusals and self.refusals[-1][0] == self.next:
                    time.sleep(0.02)
            connection.close()
        except (OSError, ValueError):
            # The daemon is gone; what is open is sent again.
            pass

    def take(self, answer):
        if "error" in answer:
            error = answer["error"]
            if error["code"] == 111:
                time.sleep(0.05)
                return
            if error["code"] != 503 or not error.get("temporary"):
                self.problems.append(f"event {self.open}: {error}")
            self.refusals.append((self.open, error["message"]))
        else:
            self.revisions[self.open] = answer["rpc"]["data"]["rev"]
        self.open = None


class Reader:
    """Reads states all the time."""

    def __init__(self):
        self.reads = 0
        self.failures = []

    def run(self, address, until):
        try:
            connection = Connection(address, "reader")
            while not until.is_set():
                for number in range(WRITERS):
                    answer = connection.call("session.state", session=f"full-{number}")
                    if "error" in answer:
                        self.failures.append(answer["error"]["message"])
                    else:
                        self.reads += 1
                time.sleep(0.01)
        except (OSError, ValueError):
            pass


class Load:
    """All writers and the reader against a daemon."""

    def __init__(self, writers, address):
        self.until = threading.Event()
        self.reader = Reader()
        self.threads = [
            threading.Thread(target=one.run, args=(address, self.until))
            for one in [*writers, self.reader]]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.until.set()
        for thread in self.threads:
            thread.join()
        return self.reader


def wait(words, condition, seconds=10):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            check(False, words)
            return
        time.sleep(0.05)
    check(True, words)


def fill(disk, name):
    """Takes all the room there is."""
    descriptor = os.open(os.path.join(disk, name), os.O_CREAT | os.O_WRONLY)
    size, step = 0, 16 * MIB
    while step >= 1024:
        try:
            os.posix_fallocate(descriptor, size, step)
            size += step
        except OSError as refusal:
            if refusal.errno != errno.ENOSPC:
                raise
            step //= 2
    os.close(descriptor)


def free(disk):
    facts = os.statvfs(disk)
    return facts.f_bavail * facts.f_frsize


def acknowledged(writers):
    return sum(len(one.revisions) for one in writers)


def refused(writers, reason):
    return sum(reason in message for one in writers for _, message in one.refusals)


def compare(daemon, writers, words):
    """Every acknowledged event is there once, and nothing else is."""
    connection = Connection(daemon.address, "checker")
    wrong = []
    for one in writers:
        wrong += one.problems
        answer = connection.call("session.state", session=one.session)
        if "error" in answer:
            wrong.append(f"{one.session}: {answer['error']}")
            continue
        state = answer["rpc"]["data"]
        count, newest = len(one.revisions), max(one.revisions, default=0)
        if one.open is not None:
            # Nobody knows what became of the last one before it is sent again.
            count = min(max(count, state["rev"]), count + 1)
        elif f'"stake":"{newest}"' not in json.dumps(state, separators=(",", ":")):
            wrong.append(f"{one.session}: the state is not that of event {newest}")
        if state["rev"] != count:
            wrong.append(f"{one.session}: revision {state['rev']}, acknowledged {count}")
        revisions = list(one.revisions.values())
        if one.open is None and revisions != list(range(1, len(revisions) + 1)):
            wrong.append(f"{one.session}: revisions were answered twice or left out")
    connection.close()
    for text in wrong[:10]:
        print("        " + text)
    check(not wrong, words)


def settle(daemon, writers):
    """Sends again what was not answered."""
    for one in writers:
        if one.open is None:
            continue
        until = threading.Event()
        thread = threading.Thread(target=one.run, args=(daemon.address, until))
        event = one.open
        thread.start()
        while one.open == event:
            time.sleep(0.01)
        until.set()
        thread.join()


def full_disk(program, disk, work, seconds):
    data = os.path.join(disk, "data")
    ballast = os.path.join(data, "ballast")
    writers = [Writer(number) for number in range(WRITERS)]
    daemon = Daemon(program, data, work)
    check(daemon.serving(), "the daemon serves")
    check(os.path.getsize(ballast) == BALLAST, "the ballast is made")
    phone = Connection(daemon.address, "phone")
    phone.ask({"subscribe": {"channel": "session:doomed"}})
    phone.ask({"subscribe": {"channel": "stage:doomed"}})
    load = Load(writers, daemon.address)
    time.sleep(seconds)
    before = acknowledged(writers)
    check(before > 0, f"{before} events are acknowledged")

    fill(disk, "junk")
    check(free(disk) < 4096, f"the disk is full: {free(disk)} bytes are free")
    wait("events are refused with store.full", lambda: refused(writers, "store.full: ") > WRITERS)
    # Reads that waited for the very changes that failed may have failed with them.
    early = len(load.reader.failures)
    check(early <= 2 * WRITERS, f"{early} reads waited for changes that failed")
    reads = load.reader.reads
    full = acknowledged(writers)
    time.sleep(seconds)
    check(acknowledged(writers) == full, "none is acknowledged while the disk is full")
    check(load.reader.reads > reads + WRITERS, f"{load.reader.reads - reads} reads are served")
    status, health = daemon.get("/readyz")
    check(status == 503 and '"store":"store.full: ' in health, f"/readyz: {status} {health}")
    check(daemon.gauge("coordd_store_full") == 1, "coordd_store_full is 1")
    check(os.path.exists(ballast), "the ballast is still there")

    daemon.kill()
    reader = load.end()
    check(len(reader.failures) == early, f"no other read failed {reader.failures[early:][:1]}")
    # Without the log's index, and nothing left where it was, SQLite cannot open the database.
    os.unlink(os.path.join(data, "sessions.sqlite-shm"))
    fill(disk, "more")
    daemon = Daemon(program, data, work)
    check(daemon.serving(), "after kill -9 it starts on the full disk")
    check(not os.path.exists(ballast), "the ballast was given up")
    compare(daemon, writers, "after kill -9 every acknowledged event is there, and no refused one")
    load = Load(writers, daemon.address)
    wait("events are refused", lambda: daemon.gauge("coordd_store_full") == 1)
    phone = Connection(daemon.address, "phone")
    phone.ask({"subscribe": {"channel": "stage:doomed"}})
    closing = phone.call("session.close", session="doomed")
    check("error" not in closing, f"a session is deleted: {closing}")
    time.sleep(seconds / 2)
    daemon.kill()
    load.end()
    daemon = Daemon(program, data, work)
    check(daemon.serving(), "after one more kill -9 it starts on what is left of the ballast")
    check(daemon.get("/readyz")[0] == 503, "it is not ready")

    load = Load(writers, daemon.address)
    time.sleep(seconds / 2)
    full = acknowledged(writers)
    os.unlink(os.path.join(disk, "junk"))
    os.unlink(os.path.join(disk, "more"))
    wait("with room it is ready again, without a restart",
         lambda: daemon.get("/readyz")[0] == 200)
    check(os.path.exists(ballast) and os.path.getsize(ballast) == BALLAST,
          "the ballast is made again")
    wait("events are accepted again", lambda: acknowledged(writers) > full + WRITERS)
    time.sleep(seconds / 2)
    phones = {name: Connection(daemon.address, f"phone-{name}") for name in "abc"}
    for name, phone in phones.items():
        phone.ask({"subscribe": {"channel": f"session:doomed-{name}"}})
        phone.ask({"subscribe": {"channel": f"stage:doomed-{name}"}})
    fill(disk, "junk")
    wait("the disk is full once more", lambda: daemon.gauge("coordd_store_full") == 1)
    for name, phone in phones.items():
        closing = phone.call("session.close", session=f"doomed-{name}")
        check("error" not in closing, f"a session is deleted: {closing}")
    load.end()
    settle(daemon, writers)
    compare(daemon, writers, "every acknowledged event is there")
    check(daemon.stop() == 0, "SIGTERM ends it with 0 on the full disk")
    daemon = Daemon(program, data, work)
    check(daemon.serving(), "it starts again")
    compare(daemon, writers, f"all {acknowledged(writers)} acknowledged events are there")
    connection = Connection(daemon.address, "checker")
    for name in phones:
        code = connection.call("session.state", session=f"doomed-{name}")["error"]["code"]
        check(code == 102, f"the deleted session is gone: {code}")
    daemon.stop()

    fill(disk, "more junk")
    daemon = Daemon(program, os.path.join(disk, "new"), work)
    check(not daemon.serving() and daemon.process.returncode == 1,
          "without ballast it does not start on a full disk")
    with open(daemon.log) as log:
        last = log.read().strip().splitlines()[-1]
    check("cannot use the data folder" in last, f"and says why: {last}")


def small_files(program, work, seconds):
    """The same with a limit of the process in place of a full disk: EFBIG, and SIGXFSZ."""
    data = os.path.join(work, "limited")
    writers = [Writer(number) for number in range(WRITERS)]
    daemon = Daemon(
        program, data, work, ["prlimit", f"--fsize={MIB}:{MIB}"], ballast=0, mark=0)
    check(daemon.serving(), "with files of at most 1 MiB the daemon serves")
    load = Load(writers, daemon.address)
    wait("events are refused with store.full", lambda: refused(writers, "store.full: ") > 0, 20)
    time.sleep(seconds / 2)
    load.end()
    check(daemon.process.poll() is None, "it goes on")
    compare(daemon, writers, "every acknowledged event is there")
    daemon.kill()
    daemon = Daemon(program, data, work, ballast=0, mark=0)
    check(daemon.serving(), "after kill -9 it starts without the limit")
    compare(daemon, writers, f"all {acknowledged(writers)} acknowledged events are there")
    daemon.stop()


def main():
    program, disk, work = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    seconds = float(sys.argv[4])
    full_disk(program, disk, work, seconds)
    small_files(program, work, seconds)
    if FAILURES:
        print(f"{len(FAILURES)} failures:", *FAILURES, sep="\n")
        with open(os.path.join(work, "log")) as log:
            print(log.read()[-8000:])
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

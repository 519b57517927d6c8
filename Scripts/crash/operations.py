"""What the store does, each as a function that has a walk look at it."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

from daemon import PROGRAM
from ledger import Session
from walk import RARE, Walk
from wire import Failed, pump

FIXTURE = "Tests/ActorsTests/Store/Fixtures/version-1"


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


def backup(walk):
    """The tool dies at its Nth call while the daemon goes on: there is a whole backup or none, and
    the next one to the same place is made."""
    walk.daemon = walk.start(settings={"COORDD_SNAPSHOT_REVISIONS": "9"})
    walk.join()
    walk.play(60, limit=2)
    target = f"{walk.work}/{walk.name}/target"
    environment = {**os.environ, "COORDD_SECRETS_KEY_FILE": walk.place.key}

    def tool(*words, wrapper=()):
        return subprocess.run([*wrapper, PROGRAM, *words], env=environment, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def verify(when):
        found = tool("verify", target)
        if found.returncode != 0:
            walk.problems.append(f"{when}: {found.stdout}{found.stderr}")

    for call in sorted(RARE | {"pwrite64", "write"}):
        for number in range(1, 1000):
            walk.play(2)
            killed = tool("backup", target, "--data", walk.place.data, wrapper=[
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                "-e", f"inject={call}:signal=KILL:when={number}"])
            when = f"before {call} number {number}"
            if killed.returncode == 0:
                verify(when)
                shutil.rmtree(target)
                break
            walk.calls[call] += 1
            if number > 4 * walk.options.bound and number % 7:
                continue
            walk.looked[call] += 1
            if os.path.exists(target):
                verify(when)
                shutil.rmtree(target)
            again = tool("backup", target, "--data", walk.place.data)
            if again.returncode != 0:
                walk.problems.append(f"{when}, the next one: {again.stdout}{again.stderr}")
            else:
                walk.pairs += 1
                verify(f"{when}, the next one")
                shutil.rmtree(target)
    walk.daemon.signal(signal.SIGTERM)
    walk.daemon.process.wait()
    walk.examine(walk.place.copied(f"{walk.work}/{walk.name}/copy"), "at the end")


# A row for each operation.
OPERATIONS = [first_start, start, commit, snapshot, trim, checkpoint, stop, deletion, migration,
              salvage, salvage_with_losses, backup, refused_start, refused_migration, refused_salvage]

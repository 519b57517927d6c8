"""Starts a server, loads it, ends it."""

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from peers import PEERS

# Far above what any workload sends: the limits are not what is measured.
SETTINGS = {
    "COORDD_LIMITS_EVENTS_PER_SECOND": "1000000",
    "COORDD_LOOPS": "1",
    "COORDD_DRAIN_SECONDS": "0",
    "COORDD_LOG_LEVEL": "warning",
}
DESCRIPTORS = 65536


class Failed(Exception):
    """A server that does not start or a load that goes wrong; the text says which and why."""


def descriptors():
    """How many descriptors a server or generator may have; root may have more than it is given."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most >= DESCRIPTORS:
        return most
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, DESCRIPTORS))
        return DESCRIPTORS
    except (OSError, ValueError):
        return most


def pinned(core):
    """For a new process: on this core only, and no target of the terminal's Ctrl-C, which is ours."""
    limit = descriptors()
    def prepare():
        os.setpgid(0, 0)
        os.sched_setaffinity(0, {core})
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    return prepare


def shortened(text, limit=600):
    """Both ends of a long text: the first complaint and the last."""
    text = text.strip()
    return text if len(text) <= limit else f"{text[:limit // 2]} [...] {text[-limit // 2:]}"


class Server:
    """A server that accepts connections."""

    def __init__(self, name, process, folder, options):
        self.name, self.process, self.folder, self.options = name, process, folder, options
        self.port = None
        self.start_seconds = None  # until it said that it accepts connections

    @property
    def dialect(self):
        return PEERS[self.name].dialect if self.name in PEERS else self.name

    def last_words(self):
        return shortened((self.folder / "log").read_text(errors="replace"))

    def await_ready(self, find_port, seconds=60):
        """`find_port` gives the port once connections are accepted, else None."""
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            self.port = find_port()
            if self.port is not None:
                self.start_seconds = time.monotonic() - begin
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        raise Failed(f"does not start: {self.last_words() or f'is not ready after {seconds} s'}")

    def load(self, flags, timed=True):
        """Runs bench-load; gives its result."""
        options = self.options
        times = ["--warmup", str(options.warmup), "--seconds", str(options.seconds)] if timed else []
        try:
            load = subprocess.run(
                [str(options.binaries / "bench-load"), "--dialect", self.dialect,
                 "--port", str(self.port), "--pid", str(self.process.pid), "--label", self.name,
                 *times, *flags.split()],
                capture_output=True, text=True, timeout=180, preexec_fn=pinned(options.load_core))
        except subprocess.TimeoutExpired:
            raise Failed("bench-load does not end") from None
        if load.returncode != 0:
            raise Failed(self.wrong(load))
        result = json.loads(load.stdout)
        if result["mode"] != "idle" and "latencyMilliseconds" not in result:
            raise Failed("nothing of what was sent in the measured time has arrived")
        return result | {"loadAverage": os.getloadavg()[0]}

    def wrong(self, load):
        """What the generator saw, and whether the server is to blame."""
        said = shortened(load.stderr) or f"bench-load ended with {load.returncode}"
        if self.process.poll() is not None:
            said += f"\nthe server ended with {self.process.returncode}: {self.last_words()}"
        return said

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def own_command(name, durable, folder, binaries):
    ready = str(folder / "ready")
    if name == "floor":
        journal = ["--journal", str(folder / "journal")] if durable else []
        return [str(binaries / "bench-floor"), "--ready-file", ready, *journal]
    return [str(binaries / "coordd"), "serve", "--listen", "127.0.0.1:0",
            "--data", str(folder / "data"), "--ready-file", ready]


def environment(folder, durable, settings):
    own = {k: v for k, v in os.environ.items() if not k.startswith("COORDD_")}
    own |= SETTINGS | {"COORDD_DURABILITY": "commit" if durable else "memory"} | settings
    # A key made by the server belongs to the run, not to the user.
    return own | {"XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)}


@contextmanager
def scratch(name, options):
    """A folder of its own on the disk that is measured, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=options.folder))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started(name, options, folder, durable=False, settings=None):
    """A server in a folder, alive until the end of the block."""
    (folder / "ready").unlink(missing_ok=True)
    peer = PEERS.get(name)
    if peer:
        port = peer.free_port()
        command = peer.command(port, folder, durable)
    else:
        command = own_command(name, durable, folder, options.binaries)
    with open(folder / "log", "w") as log:
        try:
            process = subprocess.Popen(
                command, env=environment(folder, durable, settings or {}), cwd=folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=pinned(options.server_core))
        except FileNotFoundError:
            raise Failed(f"{command[0]} is not installed") from None
    server = Server(name, process, folder, options)
    try:
        if peer:
            server.await_ready(lambda: port if peer.accepts(port) else None)
            if durable and peer.prepare:
                peer.prepare(port)
        else:
            ready = folder / "ready"
            server.await_ready(
                lambda: int(ready.read_text().rsplit(":", 1)[1]) if ready.exists() else None)
        yield server
    finally:
        server.end()


def measure(name, flags, options, durable=False, settings=None):
    """Runs one load against a new server; its result is bench-load's."""
    with scratch(name, options) as folder:
        with started(name, options, folder, durable, settings) as server:
            return server.load(flags)

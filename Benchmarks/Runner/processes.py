"""Starts a server, loads it, ends it."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

# Far above what any workload sends: the limits are not what is measured.
SETTINGS = {
    "COORDD_LIMITS_EVENTS_PER_SECOND": "1000000",
    "COORDD_LOOPS": "1",
    "COORDD_DRAIN_SECONDS": "0",
    "COORDD_LOG_LEVEL": "warning",
}


class Failed(Exception):
    """A server that does not start or a load that goes wrong; the text says which and why."""


def pinned(core):
    """For a new process: on this core only, and no target of the terminal's Ctrl-C, which is ours."""
    def prepare():
        os.setpgid(0, 0)
        os.sched_setaffinity(0, {core})
    return prepare


def command_of(server, durability, folder, binaries):
    ready = str(folder / "ready")
    if server == "floor":
        journal = ["--journal", str(folder / "journal")] if durability == "commit" else []
        return [str(binaries / "bench-floor"), "--ready-file", ready, *journal]
    return [str(binaries / "coordd"), "serve", "--listen", "127.0.0.1:0",
            "--data", str(folder / "data"), "--ready-file", ready]


def last_words(folder):
    return shortened((folder / "log").read_text())


def shortened(text, limit=600):
    """Both ends of a long text: the first complaint and the last."""
    text = text.strip()
    return text if len(text) <= limit else f"{text[:limit // 2]} [...] {text[-limit // 2:]}"


def wait_for_port(process, folder, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ready = folder / "ready"
        if ready.exists():
            return int(ready.read_text().rsplit(":", 1)[1])
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise Failed(f"does not start: {last_words(folder) or f'no ready file after {seconds} s'}")


def wrong(load, server, folder):
    """What the generator saw, and whether the server is to blame."""
    said = shortened(load.stderr) or f"bench-load ended with {load.returncode}"
    if server.poll() is not None:
        said += f"\nthe server ended with {server.returncode}: {last_words(folder)}"
    return said


def end(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def measure(server, workload, options):
    """Runs one load against a new server; its result is bench-load's."""
    folder = Path(tempfile.mkdtemp(prefix=f"{workload.name}-{server}-", dir=options.folder))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COORDD_")}
    environment |= SETTINGS | {"COORDD_DURABILITY": workload.durability}
    # A key made by the server belongs to the run, not to the user.
    environment |= {"XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            command_of(server, workload.durability, folder, options.binaries), env=environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=pinned(options.server_core))
    try:
        port = wait_for_port(process, folder)
        load = subprocess.run(
            [str(options.binaries / "bench-load"), "--dialect", server, "--port", str(port),
             "--pid", str(process.pid), "--label", server, "--warmup", str(options.warmup),
             "--seconds", str(options.seconds), *workload.load.split()],
            capture_output=True, text=True, timeout=120 + options.warmup + options.seconds,
            preexec_fn=pinned(options.load_core))
        if load.returncode != 0:
            raise Failed(wrong(load, process, folder))
        return json.loads(load.stdout) | {"loadAverage": os.getloadavg()[0]}
    except subprocess.TimeoutExpired:
        raise Failed("bench-load does not end") from None
    finally:
        end(process)
        shutil.rmtree(folder, ignore_errors=True)

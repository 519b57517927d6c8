"""A daemon of its own on a temporary data folder, and a relay whose connections can be cut."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COORDD = os.environ.get("COORDD", str(ROOT / ".build/release/coordd"))
# Seconds after which what is waited for counts as missing.
PATIENCE = 30


async def within(awaitable, what):
    """What is waited for, or a failure that names it."""
    try:
        return await asyncio.wait_for(awaitable, PATIENCE)
    except asyncio.TimeoutError:
        raise AssertionError(f"{what} did not come within {PATIENCE} s") from None


class Daemon:
    """coordd, which can be ended and started again on the same folder and port."""

    def __init__(self, **configuration):
        self.folder = Path(tempfile.mkdtemp(prefix="coordd-clients-"))
        self.file = self.folder / "coordd.json"
        self.file.write_text(json.dumps(configuration))
        self.configuration = configuration
        self.address = "127.0.0.1:0"
        self.tls_address = None
        self.log = []

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def websocket(self, port=None):
        return f"ws://127.0.0.1:{port or self.port}/connection/websocket"

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            COORDD, "serve", "--config", self.file, "--listen", self.address,
            "--data", self.folder / "data", stderr=asyncio.subprocess.PIPE)
        listening = asyncio.get_running_loop().create_future()
        self.reader = asyncio.create_task(self.read_log(self.process.stderr, listening))
        self.address = await within(listening, "the daemon's start")
        return self

    async def read_log(self, stream, listening):
        address = None
        async for line in stream:
            self.log.append(line.decode())
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if entry["message"] == "listening":
                    address = entry["address"]
                elif entry["message"] == "listening with TLS":
                    self.tls_address = entry["address"]
            is_whole = address and ("tls" not in self.configuration or self.tls_address)
            if is_whole and not listening.done():
                listening.set_result(address)
        if not listening.done():
            listening.set_exception(AssertionError("the daemon ended: " + "".join(self.log)))

    async def end(self, how=signal.SIGTERM):
        """Ends it, and gives its exit code."""
        self.process.send_signal(how)
        code = await within(self.process.wait(), "the daemon's end")
        await self.reader
        return code

    async def restart(self, how=signal.SIGTERM):
        code = await self.end(how)
        await self.start()
        return code

    async def discard(self):
        if self.process.returncode is None:
            await self.end(signal.SIGKILL)
        shutil.rmtree(self.folder)


class Relay:
    """Passes bytes on to a port of this machine until it is cut, and again when it is mended."""

    def __init__(self, target):
        self.target = target
        self.writers = set()
        self.mended = asyncio.Event()
        self.mended.set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def accept(self, reader, writer):
        await self.mended.wait()
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.target())
        except OSError:
            return writer.transport.abort()
        self.writers |= {writer, to_writer}
        await asyncio.gather(self.copy(reader, to_writer), self.copy(to_reader, writer))

    async def copy(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        self.writers.discard(writer)
        writer.close()

    def cut(self):
        """Resets every connection; new ones wait until it is mended."""
        self.mended.clear()
        for writer in list(self.writers):
            writer.transport.abort()

    def mend(self):
        self.mended.set()

    def close(self):
        self.server.close()
        self.cut()


class Line:
    """A client of the line protocol, written from its description."""

    @classmethod
    async def connected(cls, port):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        self.number = 0
        self.pushes = []
        return self

    @classmethod
    async def open(cls, port, device):
        self = await cls.connected(port)
        answer = await self.call(connect={"data": {"device": device}})
        if "connect" not in answer:
            raise ConnectionError(f"connect was answered by {answer}")
        return self

    async def call(self, **request):
        self.number += 1
        self.writer.write(json.dumps({"id": self.number, **request}).encode() + b"\n")
        while True:
            line = await within(self.reader.readline(), f"an answer to {request}")
            message = json.loads(line)
            if message == {}:
                self.writer.write(b"{}\n")
            elif message.get("id") == self.number:
                return message
            else:
                self.pushes.append(message)

    async def rpc(self, method, **data):
        return (await self.call(rpc={"method": method, "data": data})).get("rpc", {}).get("data")

    async def apply(self, session, event):
        return await self.rpc("session.apply", session=session, event=event)

    def close(self):
        self.writer.transport.abort()


def fold(state, patch):
    """The state with a merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(state) if isinstance(state, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = fold(result.get(name), value)
    return result

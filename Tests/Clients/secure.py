"""The same clients through TLS: wss, HTTPS, and lines by Python's ssl and `openssl s_client`."""

import asyncio
import json
import shutil
import ssl
import tempfile
from pathlib import Path

from centrifuge import Client
from daemon import ROOT, Daemon, within
from independent import CONNECT, curl
from sdk import Channel, Connection
from websockets.asyncio.client import connect

PIPELINE = CONNECT + '\n{"id":2,"subscribe":{"channel":"session:a"}}\n'


class Secured:
    """A daemon with TLS and certificates of its own."""

    async def __aenter__(self):
        self.pki = Path(tempfile.mkdtemp(prefix="coordd-pki-"))
        make = await asyncio.create_subprocess_exec(
            ROOT / "Scripts/make-test-certificates.sh", self.pki,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        assert await make.wait() == 0, "no certificates"
        self.root = self.pki / "root.pem"
        self.trust = ssl.create_default_context(cafile=self.root)
        self.daemon = await Daemon(
            tls={"listen": "127.0.0.1:0", "certificate": str(self.pki / "chain.pem"),
                 "key": str(self.pki / "server.key")}).start()
        self.port = int(self.daemon.tls_address.rpartition(":")[2])
        self.websocket = f"wss://localhost:{self.port}/connection/websocket"
        return self

    async def __aexit__(self, *_):
        await self.daemon.discard()
        shutil.rmtree(self.pki)


async def sdk(world, is_protobuf):
    data = {"device": "tv"}
    client = Client(
        world.websocket, events=Connection(), proxy=None, ssl_context=world.trust,
        use_protobuf=is_protobuf, data=json.dumps(data).encode() if is_protobuf else data)
    await client.connect()
    await client.events.next("connected")
    subscription = client.new_subscription("session:a", events=Channel())
    await subscription.subscribe()
    await subscription.events.next("subscribed")
    event = {"type": "betslip.open"}
    await subscription.publish(json.dumps(event).encode() if is_protobuf else event)
    assert (await subscription.events.next("publication")).offset == 1
    await client.disconnect()


async def sdk_json(world):
    await sdk(world, False)


async def sdk_protobuf(world):
    await sdk(world, True)


async def stranger(world):
    """A client that does not know the root does not talk."""
    client = Client(world.websocket, events=Connection(), proxy=None)
    asyncio.create_task(client.connect())
    error = (await client.events.next("error")).error
    assert isinstance(error, ssl.SSLError), error
    await client.disconnect()


async def socket(world):
    async with connect(world.websocket, ssl=world.trust, proxy=None) as socket:
        await socket.send(PIPELINE.strip())
        assert json.loads(await within(socket.recv(), "an answer"))["id"] == 1
        assert json.loads(await within(socket.recv(), "an answer"))["subscribe"]["epoch"]
        await within(socket.close(4001, "bye"), "the end")
        assert socket.protocol.close_rcvd.code == 4001


async def lines(world):
    reader, writer = await asyncio.open_connection(
        "localhost", world.port, ssl=world.trust, limit=1 << 20)
    writer.write(PIPELINE.encode())
    for number in (1, 2):
        line = await within(reader.readline(), "an answer")
        assert json.loads(line)["id"] == number, line
    writer.close()


async def openssl(world):
    process = await asyncio.create_subprocess_exec(
        "openssl", "s_client", "-quiet", "-verify_quiet", "-connect", f"localhost:{world.port}",
        "-CAfile", world.root, "-verify_return_error", "-verify_hostname", "localhost",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL)
    process.stdin.write(PIPELINE.encode())
    for number in (1, 2):
        line = await within(process.stdout.readline(), "an answer")
        assert json.loads(line)["id"] == number, line
    process.kill()
    await process.wait()


async def https(world):
    base = f"https://localhost:{world.port}"
    status = ("--output", "/dev/null", "--write-out", "%{http_code}", "--cacert", world.root)
    assert await curl(*status, base + "/healthz") == "200"
    assert await curl(*status, base + "/connection/websocket") == "426"


SCENARIOS = {
    "centrifuge-python JSON": {"wss": sdk_json, "wss, a root it does not know": stranger},
    "centrifuge-python Protobuf": {"wss": sdk_protobuf},
    "websockets": {"wss": socket},
    "Python's ssl": {"lines": lines},
    "openssl s_client": {"lines": openssl},
    "curl": {"HTTPS": https},
}


async def run(client, name):
    async with Secured() as world:
        await SCENARIOS[client][name](world)

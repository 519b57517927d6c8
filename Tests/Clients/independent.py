"""What clients that know nothing of the protocol see: PyPI's websockets, and curl."""

import asyncio
import json

import websockets
from daemon import Daemon, Line, within
from websockets.asyncio.client import connect

CONNECT = '{"id":1,"connect":{"data":{"device":"tv"}}}'


async def conversation(daemon):
    async with connect(daemon.websocket(), compression="deflate", proxy=None) as socket:
        assert socket.protocol.extensions == [], "permessage-deflate was not declined"
        assert socket.subprotocol is None
        await socket.send(CONNECT + '\n{"id":2,"subscribe":{"channel":"session:a"}}')
        assert json.loads(await within(socket.recv(), "an answer"))["connect"]["client"]
        assert json.loads(await within(socket.recv(), "an answer"))["subscribe"]["offset"] == 0


async def pings(daemon):
    """Both sorts: RFC 6455's from the client, the protocol's own from the server."""
    async with connect(daemon.websocket(), proxy=None) as socket:
        await socket.send(CONNECT)
        assert json.loads(await within(socket.recv(), "an answer"))["connect"]["ping"] == 2
        await within(await socket.ping(b"there?"), "a pong")
        for _ in range(3):
            assert await within(socket.recv(), "a ping") == "{}"
            await socket.send("{}")
        # The fourth stays without its pong.
        assert await within(socket.recv(), "a ping") == "{}"
        await within(socket.wait_closed(), "the end")
        assert (socket.close_code, socket.close_reason) == (3012, "no pong"), socket.close_code


async def fragments(daemon):
    async with connect(daemon.websocket(), proxy=None) as socket:
        await socket.send([CONNECT[:10], CONNECT[10:20], "", CONNECT[20:]])
        assert json.loads(await within(socket.recv(), "an answer"))["id"] == 1
        euro = '{"id":2,"rpc":{"method":"€"}}'
        await socket.send(part for part in euro)
        assert json.loads(await within(socket.recv(), "an answer"))["error"]["code"] == 104


async def closed_by(daemon, message, subprotocols=None):
    """The code with which the server ends a connection that sends a message."""
    async with connect(daemon.websocket(), proxy=None, subprotocols=subprotocols) as socket:
        await socket.send(message)
        await within(socket.wait_closed(), "the end")
        assert socket.close_reason, "no reason"
        return socket.close_code


async def codes(daemon):
    assert await closed_by(daemon, "nonsense") == 3501
    assert await closed_by(daemon, "") == 3501
    assert await closed_by(daemon, '{"id":1,"rpc":{"method":"m"}}') == 3501
    assert await closed_by(daemon, b"{}") == 3501
    assert await closed_by(daemon, "x" * 65_537) == 1009
    assert await closed_by(daemon, b"\x05\xff", ["centrifuge-protobuf"]) == 3501


async def closing(daemon):
    async with connect(daemon.websocket(), proxy=None) as socket:
        await socket.send(CONNECT)
        await within(socket.recv(), "an answer")
        await within(socket.close(4000, "bye"), "the end")
        # The server's own close frame, not a broken connection.
        assert socket.protocol.close_rcvd.code == 4000, socket.protocol.close_rcvd


async def origins(daemon):
    async with connect(daemon.websocket(), proxy=None, origin=f"http://{daemon.address}"):
        pass
    try:
        async with connect(daemon.websocket(), proxy=None, origin="https://evil.example"):
            raise AssertionError("another site's page was let in")
    except websockets.InvalidStatus as refused:
        assert refused.response.status_code == 403


async def curl(*arguments):
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--max-time", "20", "--noproxy", "*", *arguments,
        stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0, f"curl ended with {process.returncode}"
    return output.decode()


async def http(daemon):
    base = f"http://{daemon.address}"
    status = ("--output", "/dev/null", "--write-out", "%{http_code}")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert await curl(*status, base + path) == "200", path
        assert await curl(*status, "--head", base + path) == "200", path
    assert await curl(*status, base + "/nowhere") == "404"
    assert await curl(*status, "--request", "POST", base + "/healthz") == "405"
    assert await curl(*status, base + "/connection/websocket") == "426"
    # Two requests on one connection.
    twice = await curl(
        "--write-out", "%{num_connects}", "--output", "/dev/null", base + "/healthz",
        "--output", "/dev/null", base + "/healthz")
    assert twice == "10", twice


async def upgrade(daemon):
    """curl's own handshake; the answer's digest is the RFC's example, and silence ends it."""
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--include", "--no-buffer", "--max-time", "20", "--noproxy", "*",
        "--http1.1",
        "--header", "Connection: Upgrade", "--header", "Upgrade: websocket",
        "--header", "Sec-WebSocket-Version: 13",
        "--header", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"http://{daemon.address}/connection/websocket", stdout=asyncio.subprocess.PIPE)
    answer = await within(process.stdout.read(), "the answer and the end")
    await process.wait()
    head, _, frame = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 "), head
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head, head
    assert frame == b"\x88\x07\x0d\xaestale", frame


async def same_port(daemon):
    """A line and a WebSocket on one port, in one session."""
    line = await Line.open(daemon.port, "phone")
    await line.call(subscribe={"channel": "session:b"})
    async with connect(daemon.websocket(), proxy=None) as socket:
        await socket.send(CONNECT + '\n{"id":2,"subscribe":{"channel":"session:b"}}')
        for _ in range(2):
            await within(socket.recv(), "an answer")
        await line.apply("b", {"type": "betslip.open"})
        heard = json.loads(await within(socket.recv(), "a publication"))
        while heard == {}:
            await socket.send("{}")
            heard = json.loads(await within(socket.recv(), "a publication"))
        assert [heard] == [push for push in line.pushes if "push" in push], (heard, line.pushes)
    line.close()


SCENARIOS = {
    "websockets": {
        "a conversation, compression declined": conversation,
        "pings of both sorts, 3012 without a pong": pings,
        "messages in fragments": fragments,
        "close codes": codes,
        "closing handshake": closing,
        "origins": origins,
        "the same bytes as on the line protocol": same_port,
    },
    "curl": {"HTTP": http, "WebSocket handshake": upgrade},
}


async def run(client, name):
    daemon = await Daemon(
        ping={"intervalSeconds": 2, "pongSeconds": 1}, limits={"connectSeconds": 1}).start()
    try:
        await SCENARIOS[client][name](daemon)
    finally:
        await daemon.discard()

#!/usr/bin/env python3
"""A rolling restart under load: a thousand second screens follow while coordd drains and comes back.

A third of them speak lines, a third WebSockets, and the rest are the Python SDK, half of it in
Protobuf. Phones send numbered events all the while, each with an id, until it is answered. Exits 1
unless every daemon is not ready at once, tells everyone 3001 spread over drain.seconds, and ends with
0, and every screen recovers each time in the same epoch without a snapshot, sees every event once
and in order, and has in the end the state that the server has.

Usage: restart.py [MIRRORS] [RESTARTS] [DRAIN, seconds]
"""

import asyncio
import contextlib
import json
import random
import sys
import time
import urllib.error
import urllib.request

from centrifuge import Client, ClientEventHandler, SubscriptionEventHandler
from daemon import PATIENCE, Daemon, Line, fold, within
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

MIRRORS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
RESTARTS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
DRAIN = int(sys.argv[3]) if len(sys.argv) > 3 else 5
SESSIONS = max(1, MIRRORS // 20)
# Events that each phone sends in a second.
RATE = 2
# Seconds between the restarts.
REST = 3
# The backoff of whoever comes back, in seconds: full jitter, doubled each time.
BACKOFF = (0.5, 3)


async def pause(attempt):
    await asyncio.sleep(random.uniform(0, min(BACKOFF[1], BACKOFF[0] * 2**attempt)))


class Mirror:
    """A second screen: folds what it is told, and keeps the rules of recovery in view."""

    def __init__(self, world, number):
        self.world, self.number = world, number
        self.session = f"s{number % SESSIONS}"
        self.state = self.epoch = None
        self.offset = self.stake = 0
        self.recoveries = 0

    def fault(self, text):
        self.world.faults.append(f"{self.kind} mirror {self.number}: {text}")

    def subscribed(self, epoch, offset, recovered, data):
        self.world.following.add(self.number)
        if self.epoch is None:
            self.state, self.epoch, self.offset = data["state"], epoch, data["rev"]
            self.stake = int(float(self.state["betslip"].get("stake", "0")))
            return
        if not recovered:
            self.world.snapshots += 1
            return self.fault("a snapshot in place of what was missed")
        if epoch != self.epoch or offset != self.offset:
            self.fault(f"recovered at {epoch} {offset}, left at {self.epoch} {self.offset}")
        self.recoveries += 1

    def published(self, data):
        if "rev" not in data:
            return
        if data["rev"] != self.offset + 1:
            self.fault(f"revision {data['rev']} after {self.offset}")
        stake = int(float(data["event"].get("stake", "0")))
        if stake != self.stake + 1:
            self.fault(f"event {stake} after {self.stake}")
        self.stake, self.offset = stake, data["rev"]
        self.state = fold(self.state, data["patch"])
        self.world.deliveries += 1

    def left(self, code):
        self.world.following.discard(self.number)
        if self.world.is_ending:
            return
        self.world.departures.append((time.monotonic(), code))

    def position(self):
        return {} if self.epoch is None else {
            "recover": True, "epoch": self.epoch, "offset": self.offset}

    def commands(self):
        yield {"id": 1, "connect": {"data": {"device": f"tv-{self.number}"}}}
        yield {"id": 2, "subscribe": {"channel": f"session:{self.session}", **self.position()}}

    def take(self, text):
        """One message; gives what to send, or the code of the end."""
        message = json.loads(text)
        if message == {}:
            return "{}", None
        if "subscribe" in message:
            result = message["subscribe"]
            self.subscribed(
                result["epoch"], result.get("offset", 0), result.get("recovered"),
                result.get("data"))
            for publication in result.get("publications", []):
                self.published(publication["data"])
        elif "push" in message:
            if "disconnect" in message["push"]:
                return None, message["push"]["disconnect"]["code"]
            self.published(message["push"]["pub"]["data"])
        elif "error" in message:
            self.fault(f"error {message['error']}")
        return None, None

    async def run(self):
        attempt = 0
        while not self.world.is_ending:
            was = self.world.following.__contains__(self.number)
            code = None
            try:
                code = await self.follow()
            except (OSError, EOFError, WebSocketException, asyncio.TimeoutError):
                self.world.refusals += 1
            if self.number in self.world.following or was:
                attempt = 0
                self.left(code)
            await pause(attempt)
            attempt += 1


class LineMirror(Mirror):
    kind = "line"

    async def follow(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.world.daemon.port)
        try:
            for command in self.commands():
                writer.write(json.dumps(command).encode() + b"\n")
            while line := await reader.readline():
                answer, code = self.take(line)
                if code is not None:
                    return code
                if answer:
                    writer.write(answer.encode() + b"\n")
        finally:
            writer.close()


class SocketMirror(Mirror):
    kind = "WebSocket"

    async def follow(self):
        async with connect(self.world.daemon.websocket(), proxy=None, compression=None) as socket:
            await socket.send("\n".join(map(json.dumps, self.commands())))
            with contextlib.suppress(WebSocketException):
                while True:
                    answer, _ = self.take(await socket.recv())
                    if answer:
                        await socket.send(answer)
            return socket.close_code


class SDKMirror(Mirror, ClientEventHandler, SubscriptionEventHandler):
    """The SDK has its own way of coming back."""

    def __init__(self, world, number):
        super().__init__(world, number)
        self.is_protobuf = number % 2 == 0
        self.kind = "SDK Protobuf" if self.is_protobuf else "SDK JSON"

    def open(self, data):
        return json.loads(data) if isinstance(data, bytes) else data

    async def run(self):
        data = {"device": f"tv-{self.number}"}
        self.client = Client(
            self.world.daemon.websocket(), events=Handler(self), proxy=None,
            use_protobuf=self.is_protobuf, data=json.dumps(data).encode() if self.is_protobuf else data,
            min_reconnect_delay=BACKOFF[0], max_reconnect_delay=BACKOFF[1])
        subscription = self.client.new_subscription(
            f"session:{self.session}", events=Follower(self))
        await subscription.subscribe()
        await self.client.connect()


class Handler(ClientEventHandler):
    def __init__(self, mirror):
        self.mirror = mirror

    async def on_connecting(self, ctx):
        if self.mirror.number in self.mirror.world.following:
            self.mirror.left(ctx.code)

    async def on_error(self, ctx):
        self.mirror.world.refusals += 1

    async def on_disconnected(self, ctx):
        if not self.mirror.world.is_ending:
            self.mirror.fault(f"stopped: {ctx.code} {ctx.reason}")


class Follower(SubscriptionEventHandler):
    def __init__(self, mirror):
        self.mirror = mirror

    async def on_subscribed(self, ctx):
        position = ctx.stream_position
        self.mirror.subscribed(
            position.epoch, position.offset, ctx.recovered, self.mirror.open(ctx.data))

    async def on_publication(self, ctx):
        self.mirror.published(self.mirror.open(ctx.pub.data))

    async def on_unsubscribed(self, ctx):
        if not self.mirror.world.is_ending:
            self.mirror.fault(f"unsubscribed: {ctx.code} {ctx.reason}")


class Phone:
    """Sends numbered events, each until it is answered."""

    def __init__(self, world, number):
        self.world, self.number, self.session = world, number, f"s{number}"
        self.sent = self.repeats = 0
        self.line = None

    async def run(self):
        next_id = 1
        while not self.world.is_over:
            answer = await self.ask(
                "session.apply", session=self.session, id=f"e{next_id}",
                event={"type": "betslip.update", "stake": f"{next_id}.00"})
            if answer is None:
                continue
            self.repeats += answer.get("duplicate", False)
            self.sent = next_id
            next_id += 1
            await asyncio.sleep(random.uniform(0.5, 1.5) / RATE)

    async def ask(self, method, **data):
        """The answer, or none when the connection was lost first."""
        try:
            if self.line is None:
                self.line = await Line.open(self.world.daemon.port, f"phone-{self.number}")
            return await self.line.rpc(method, **data)
        except (OSError, EOFError, json.JSONDecodeError):
            if self.line:
                self.line.close()
            self.line = None
            await pause(0)
            return None


class World:
    def __init__(self):
        self.faults, self.departures, self.following = [], [], set()
        self.snapshots = self.deliveries = self.refusals = 0
        self.is_over = self.is_ending = False

    async def until(self, holds, what):
        """Looks again and again, with the loop at work meanwhile."""
        async def look():
            while not holds():
                await asyncio.sleep(0.02)
        await within(look(), what)


def ready(port):
    """The status of /readyz, and the reason it names."""
    url = f"http://127.0.0.1:{port}/readyz"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


async def restart(world, round_):
    world.departures.clear()
    world.refusals = 0
    begun = time.monotonic()
    ending = asyncio.create_task(world.daemon.end())
    # The signal and the question race: asked until it says no.
    while True:
        status, reason = await asyncio.to_thread(ready, world.daemon.port)
        if status != 200:
            break
    unready = time.monotonic() - begun
    code = await ending
    took = time.monotonic() - begun
    await world.daemon.start()
    await world.until(lambda: len(world.following) == MIRRORS, "everybody's return")
    back = time.monotonic() - begun
    times = [moment - begun for moment, _ in world.departures]
    codes = sorted({code for _, code in world.departures}, key=str)
    busiest = max(sum(second <= each < second + 1 for each in times) for second in range(DRAIN + 1))
    print(
        f"{round_:7} {status:9} {unready * 1000:6.0f} ms {min(times):6.1f}–{max(times):.1f} s"
        f" {busiest:12} {'/'.join(map(str, codes)):>7} {code:5} {took:5.1f} s {back:7.1f} s"
        f" {world.refusals:9}", flush=True)
    fault = world.faults.append
    if status != 503 or "drain" not in reason and "shutting down" not in reason:
        fault(f"not ready is {status}: {reason}")
    if unready > 1:
        fault(f"ready for another {unready:.1f} s")
    if len(times) != MIRRORS or codes != [3001]:
        fault(f"{len(times)} mirrors were told {codes}")
    if max(times) - min(times) < DRAIN / 2 or max(times) > DRAIN + 3 or busiest > 2 * MIRRORS / DRAIN:
        fault(f"not spread over {DRAIN} s: {min(times):.1f} to {max(times):.1f}, {busiest} in one")
    if code != 0:
        fault(f"exit code {code}")


async def main():
    world = World()
    world.daemon = await Daemon(
        drain={"seconds": DRAIN}, limits={"eventsPerSecond": 100_000}).start()
    phones = [Phone(world, number) for number in range(SESSIONS)]
    for phone in phones:
        phone.line = await Line.open(world.daemon.port, f"phone-{phone.number}")
        await phone.line.call(subscribe={"channel": f"session:{phone.session}"})
        await phone.line.call(unsubscribe={"channel": f"session:{phone.session}"})
    kinds = (LineMirror, SocketMirror, SDKMirror)
    mirrors = [kinds[number // SESSIONS % 3](world, number) for number in range(MIRRORS)]
    tasks = []
    for mirror in mirrors:
        tasks.append(asyncio.create_task(mirror.run()))
        if len(tasks) % 50 == 0:
            await world.until(lambda: len(world.following) >= len(tasks) - 50, "the first mirrors")
    await world.until(lambda: len(world.following) == MIRRORS, "every mirror")
    players = [asyncio.create_task(phone.run()) for phone in phones]
    print(f"{MIRRORS} mirrors of {SESSIONS} sessions, {SESSIONS * RATE} events a second")
    print("restart  /readyz     after   told 3001 in  most in 1 s   codes  exit  ended in  all back"
          "   refused")
    for round_ in range(1, RESTARTS + 1):
        await asyncio.sleep(REST)
        await restart(world, round_)
    await asyncio.sleep(REST)
    world.is_over = True
    await within(asyncio.gather(*players), "the phones' last answers")
    compared = 0
    for phone in phones:
        state = None
        while state is None:
            state = await phone.ask("session.state", session=phone.session)
        if state["rev"] != phone.sent:
            world.faults.append(f"{phone.session}: {phone.sent} events, revision {state['rev']}")
        for mirror in mirrors[phone.number::SESSIONS]:
            await world.until(lambda: mirror.offset >= state["rev"], "the last revision")
            if (mirror.offset, mirror.state) != (state["rev"], state["state"]):
                mirror.fault(f"its state is not the server's at revision {state['rev']}")
            compared += 1
    world.is_ending = True
    recoveries = sum(mirror.recoveries for mirror in mirrors)
    if recoveries != MIRRORS * RESTARTS:
        world.faults.append(f"{recoveries} recoveries of {MIRRORS * RESTARTS}")
    print(
        f"{sum(phone.sent for phone in phones)} events acknowledged"
        f" ({sum(phone.repeats for phone in phones)} asked again), {world.deliveries} deliveries,"
        f" {recoveries} recoveries, {world.snapshots} snapshots, {compared} states compared,"
        f" {len(world.faults)} faults")
    for fault in world.faults[:20]:
        print(fault, file=sys.stderr)
    for mirror in mirrors:
        if isinstance(mirror, SDKMirror):
            await mirror.client.disconnect()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await world.daemon.discard()
    return 1 if world.faults else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

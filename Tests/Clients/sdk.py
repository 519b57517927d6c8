"""What the Python SDK, centrifuge-python, sees of coordd, in either of its encodings."""

import asyncio
import json
import signal

from centrifuge import (
    Client,
    ClientEventHandler,
    ReplyError,
    StreamPosition,
    SubscriptionEventHandler,
)
from daemon import Daemon, Line, Relay, fold, within

# Kept revisions; more than that away is a snapshot.
WINDOW = 64
CONFIGURATION = {
    "drain": {"seconds": 0},
    "limits": {"eventsPerSecond": 100_000},
    "history": {"size": WINDOW},
}


class Events:
    """Events of an SDK's object in their order."""

    def __init__(self):
        self.queue = asyncio.Queue()
        self.passed = []

    def note(self, name, context):
        self.queue.put_nowait((name, context))

    async def next(self, wanted):
        """The next event of that name; others before it are passed by."""
        while True:
            name, context = await within(self.queue.get(), f"the event {wanted}")
            self.passed.append(name)
            if name == wanted:
                return context


class Connection(ClientEventHandler, Events):
    def __init__(self):
        Events.__init__(self)

    async def on_connecting(self, ctx):
        self.note("connecting", ctx)

    async def on_connected(self, ctx):
        self.note("connected", ctx)

    async def on_disconnected(self, ctx):
        self.note("disconnected", ctx)

    async def on_error(self, ctx):
        self.note("error", ctx)


class Channel(SubscriptionEventHandler, Events):
    def __init__(self):
        Events.__init__(self)

    async def on_subscribing(self, ctx):
        self.note("subscribing", ctx)

    async def on_subscribed(self, ctx):
        self.note("subscribed", ctx)

    async def on_unsubscribed(self, ctx):
        self.note("unsubscribed", ctx)

    async def on_publication(self, ctx):
        self.note("publication", ctx.pub)

    async def on_join(self, ctx):
        self.note("join", ctx.info)

    async def on_leave(self, ctx):
        self.note("leave", ctx.info)

    async def on_error(self, ctx):
        self.note("error", ctx)


class World:
    """A daemon with a relay before it, and SDK clients that come through the relay."""

    configuration = CONFIGURATION

    def __init__(self, encoding):
        self.is_protobuf = encoding == "Protobuf"
        self.clients = []

    async def __aenter__(self):
        self.daemon = await Daemon(**self.configuration).start()
        self.relay = await Relay(lambda: self.daemon.port).start()
        return self

    async def __aexit__(self, *_):
        for client in self.clients:
            await client.disconnect()
        self.relay.close()
        await self.daemon.discard()

    def pack(self, value):
        return json.dumps(value).encode() if self.is_protobuf else value

    def open(self, value):
        return json.loads(value) if isinstance(value, bytes) else value

    async def client(self, device, **options):
        client = Client(
            self.daemon.websocket(self.relay.port), events=Connection(),
            use_protobuf=self.is_protobuf, data=self.pack({"device": device}),
            max_reconnect_delay=0.5, proxy=None, **options)
        self.clients.append(client)
        await client.connect()
        client.welcome = await client.events.next("connected")
        return client

    async def subscribe(self, client, channel, **options):
        subscription = client.new_subscription(channel, events=Channel(), **options)
        await subscription.subscribe()
        subscription.first = await subscription.events.next("subscribed")
        return subscription

    async def rpc(self, client, method, **data):
        return self.open((await client.rpc(method, self.pack(data))).data)

    async def line(self, device="other"):
        return await Line.open(self.daemon.port, device)

    async def publications(self, subscription, count):
        events = subscription.events
        return [await events.next("publication") for _ in range(count)]

    def folded(self, state, publications):
        for publication in publications:
            state = fold(state, self.open(publication.data)["patch"])
        return state


def stake(number):
    return {"type": "betslip.update", "stake": f"{number}.00"}


async def refusal(awaitable):
    """The code of the error that the server answers."""
    try:
        await awaitable
    except ReplyError as error:
        return error.code
    raise AssertionError("not refused")


async def connect(world):
    client = await world.client("tv")
    assert len(client.welcome.client) == 36, client.welcome
    assert client.welcome.version.startswith("coordd "), client.welcome


async def subscribe(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    first = subscription.first
    assert first.recoverable and first.positioned and not first.recovered, first
    assert first.stream_position.epoch and first.stream_position.offset == 0, first
    snapshot = world.open(first.data)
    assert snapshot["rev"] == 0 and snapshot["state"]["betslip"]["status"] == "empty", snapshot


async def rpc(world):
    client = await world.client("tv")
    await world.subscribe(client, "session:a")
    answer = await world.rpc(client, "session.apply", session="a", id="tap", event=stake(1))
    assert answer == {"rev": 1}, answer
    again = await world.rpc(client, "session.apply", session="a", id="tap", event=stake(1))
    assert again == {"rev": 1, "duplicate": True}, again
    state = await world.rpc(client, "session.state", session="a")
    assert state["rev"] == 1 and state["state"]["betslip"]["stake"] == "1.00", state


async def errors(world):
    client = await world.client("tv")
    await world.subscribe(client, "session:a")
    call = world.rpc
    assert await refusal(call(client, "session.state", session="nowhere")) == 102
    assert await refusal(call(client, "no.method", session="a")) == 104
    assert await refusal(call(client, "session.apply", session="a", event={"type": "?"})) == 422
    late = call(client, "session.apply", session="a", event=stake(1), ifRev=7)
    assert await refusal(late) == 409
    assert await refusal(client.presence("elsewhere:a")) == 107
    # A subscribe that is refused for good ends that subscription alone.
    refused = client.new_subscription("stage:nowhere", events=Channel())
    await refused.subscribe()
    assert (await refused.events.next("unsubscribed")).code == 102
    assert (await call(client, "session.state", session="a"))["rev"] == 0


async def publications(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    other = await world.line()
    for number in range(1, 51):
        await other.apply("a", stake(number))
    found = await world.publications(subscription, 50)
    assert [publication.offset for publication in found] == list(range(1, 51))
    state = world.folded(world.open(subscription.first.data)["state"], found)
    assert state == (await world.rpc(client, "session.state", session="a"))["state"]
    # A signal has no offset: it does not move the position.
    await world.subscribe(client, "stage:a", data=world.pack({"facts": {}}))
    (attached,) = await world.publications(subscription, 1)
    await world.rpc(
        client, "session.apply", session="a", event={"type": "device.keyboard", "height": 10})
    (signalled,) = await world.publications(subscription, 1)
    assert attached.offset == 51 and signalled.offset == 0, (attached, signalled)


async def publish(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    await subscription.publish(world.pack(stake(3)))
    (found,) = await world.publications(subscription, 1)
    assert world.open(found.data)["event"] == stake(3)
    assert world.open(found.data)["by"] == {"device": "tv", "role": "mirror"}


async def stage(world):
    client = await world.client("phone")
    await world.subscribe(client, "session:a")
    held = await world.subscribe(
        client, "stage:a", data=world.pack({"facts": {"interface": "portrait"}}))
    assert world.open(held.first.data) == {"pending": []}, held.first
    await world.rpc(
        client, "session.apply", session="a", event={"type": "fullscreen.set", "on": True})
    effects = [world.open(found.data) for found in await world.publications(held, 2)]
    assert [effect["kind"] for effect in effects] == ["setFullscreen", "requestOrientation"]
    done = [effect["seq"] for effect in effects]
    assert await world.rpc(client, "effects.ack", session="a", done=done) == {}


async def presence(world):
    client = await world.client("tv")
    subscription = await world.subscribe(
        client, "session:a", join_leave=True, data=world.pack({"role": "observer"}))
    own = await subscription.events.next("join")
    assert own.client == client.welcome.client, own
    other = await world.line("tablet")
    await other.call(subscribe={"channel": "session:a"})
    joined = await subscription.events.next("join")
    assert world.open(joined.chan_info) == {"device": "tablet", "role": "mirror"}, joined
    present = (await subscription.presence()).clients
    assert set(present) == {own.client, joined.client}, present
    assert world.open(present[own.client].chan_info) == {"device": "tv", "role": "observer"}
    stats = await subscription.presence_stats()
    assert (stats.num_clients, stats.num_users) == (2, 1), stats
    other.close()
    assert (await subscription.events.next("leave")).client == joined.client


async def history(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    other = await world.line()
    for number in range(1, 11):
        await other.apply("a", stake(number))
    epoch = subscription.first.stream_position.epoch

    async def offsets(limit, since=None, reverse=False):
        position = None if since is None else StreamPosition(offset=since, epoch=epoch)
        found = await subscription.history(limit=limit, since=position, reverse=reverse)
        assert (found.offset, found.epoch) == (10, epoch), found
        return [publication.offset for publication in found.publications]

    assert await offsets(0) == []
    assert await offsets(-1) == list(range(1, 11))
    assert await offsets(3, since=4) == [5, 6, 7]
    assert await offsets(2, reverse=True) == [10, 9]
    assert await offsets(2, since=4, reverse=True) == [3, 2]
    gone = StreamPosition(offset=4, epoch="gone")
    assert await refusal(subscription.history(limit=1, since=gone)) == 112


async def away(world, client, subscription, count):
    """Cuts the connection, has `count` events meanwhile, and gives how it came back."""
    world.relay.cut()
    await subscription.events.next("subscribing")
    other = await world.line()
    for number in range(count):
        await other.apply("a", stake(number + 1))
    other.close()
    world.relay.mend()
    return await subscription.events.next("subscribed")


async def recovery(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    state = world.open(subscription.first.data)["state"]
    for times in range(1, 6):
        back = await away(world, client, subscription, 20)
        assert back.recovered and back.was_recovering and back.data is None, back
        assert back.stream_position.offset == (times - 1) * 20, back
        found = await world.publications(subscription, 20)
        first = (times - 1) * 20 + 1
        assert [publication.offset for publication in found] == list(range(first, first + 20))
        state = world.folded(state, found)
    assert state == (await world.rpc(client, "session.state", session="a"))["state"]
    assert subscription.events.queue.empty()


async def nothing_missed(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    back = await away(world, client, subscription, 0)
    assert back.recovered and back.stream_position.offset == 0, back


async def snapshot(world):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    back = await away(world, client, subscription, WINDOW + 1)
    assert back.was_recovering and not back.recovered, back
    assert world.open(back.data)["rev"] == WINDOW + 1 == back.stream_position.offset, back
    other = await world.line()
    await other.apply("a", {"type": "betslip.open"})
    (found,) = await world.publications(subscription, 1)
    assert found.offset == WINDOW + 2


async def own_state(world):
    """An application that loads its state by itself is told 112 when it must do so again."""
    client = await world.client("tv")
    await world.subscribe(client, "session:a")
    loads = []

    async def load(_):
        state = await world.rpc(loader, "session.state", session="a")
        loads.append(state["rev"])
        return StreamPosition(offset=state["rev"], epoch=state["epoch"])

    # Its own connection: a call of the one that subscribes would wait for itself.
    loader = Client(
        world.daemon.websocket(), use_protobuf=world.is_protobuf, proxy=None,
        data=world.pack({"device": "loader"}))
    world.clients.append(loader)
    await loader.connect()
    tablet = await world.client("tablet")
    subscription = await world.subscribe(tablet, "session:a", get_state=load)
    assert loads == [0] and subscription.first.recovered, (loads, subscription.first)
    back = await away(world, tablet, subscription, WINDOW + 1)
    assert loads == [0, WINDOW + 1] and back.recovered, (loads, back)


async def closed(world):
    phone = await world.client("phone")
    subscription = await world.subscribe(phone, "session:a")
    await world.subscribe(phone, "stage:a", data=world.pack({"facts": {}}))
    tv = await world.client("tv")
    watched = await world.subscribe(tv, "session:a")
    assert await world.rpc(phone, "session.close", session="a") == {}
    for each in (subscription, watched):
        ended = await each.events.next("unsubscribed")
        assert (ended.code, bool(ended.reason)) == (2000, True), ended
    # Whoever subscribes now finds a new session.
    before = watched.first.stream_position.epoch
    await watched.subscribe()
    anew = await watched.events.next("subscribed")
    assert anew.stream_position.epoch != before and not anew.recovered, anew


async def restart(world, how=signal.SIGTERM):
    client = await world.client("tv")
    subscription = await world.subscribe(client, "session:a")
    other = await world.line()
    for number in range(1, 6):
        await other.apply("a", stake(number))
    await world.publications(subscription, 5)
    other.close()
    world.relay.mended.clear()
    code = await world.daemon.end(how)
    lost = await client.events.next("connecting")
    await subscription.events.next("subscribing")
    await world.daemon.start()
    other = await world.line()
    for number in range(6, 11):
        await other.apply("a", stake(number))
    world.relay.mend()
    back = await subscription.events.next("subscribed")
    assert back.recovered and back.data is None, back
    assert back.stream_position.epoch == subscription.first.stream_position.epoch, back
    found = await world.publications(subscription, 5)
    assert [publication.offset for publication in found] == list(range(6, 11)), found
    return code, lost


async def graceful(world):
    code, lost = await restart(world)
    assert code == 0 and (lost.code, lost.reason) == (3001, "shutdown"), (code, lost)


async def killed(world):
    code, _ = await restart(world, signal.SIGKILL)
    assert code == -signal.SIGKILL, code


async def unasked(world):
    """What the SDK offers and coordd does not have is left out, and nothing breaks."""
    client = await world.client("tv", name="python", version="9", headers={"X-Trace": "1"})
    # Compact channel names are offered in each subscribe, a delta where it is asked for.
    from centrifuge import DeltaType

    subscription = await world.subscribe(client, "session:a", delta=DeltaType.FOSSIL)
    other = await world.line()
    await other.apply("a", stake(1))
    (found,) = await world.publications(subscription, 1)
    assert world.open(found.data)["rev"] == 1, found
    await subscription.unsubscribe()
    await subscription.events.next("unsubscribed")
    await subscription.subscribe()
    again = await subscription.events.next("subscribed")
    assert again.recovered or world.open(again.data)["rev"] == 1, again


SCENARIOS = {
    "connect": connect,
    "subscribe, snapshot": subscribe,
    "rpc: session.apply, session.state": rpc,
    "errors": errors,
    "publications in order, signals": publications,
    "publish": publish,
    "stage, effects.ack": stage,
    "presence, joins and leaves": presence,
    "history": history,
    "drop and recover, five times": recovery,
    "drop, nothing missed": nothing_missed,
    "drop, window passed: snapshot": snapshot,
    "state of its own: error 112": own_state,
    "server unsubscribes: session.close": closed,
    "graceful restart, same epoch": graceful,
    "kill -9, same epoch": killed,
    "what is not offered": unasked,
}


async def run(encoding, name):
    async with World(encoding) as world:
        await SCENARIOS[name](world)

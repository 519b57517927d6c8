"""What the Python SDK makes of tokens, minted by `coordd token` and by PyPI's PyJWT."""

import asyncio
import subprocess
import time

import jwt
from centrifuge import Client
from daemon import COORDD, Line, within
from sdk import CONFIGURATION, Channel, Connection, World, refusal, stake

SECRET = "a secret of the tests, long enough for HS256, and for HS512 that must be refused"


class Tokens(World):
    """A world whose daemon wants tokens."""

    configuration = {**CONFIGURATION, "auth": {"secret": SECRET}}

    async def mint(self, *arguments):
        # In a thread: one that is still at work when a scenario ends is waited for.
        minted = await asyncio.to_thread(
            subprocess.run, [COORDD, "token", "--config", self.daemon.file, *arguments],
            capture_output=True, text=True)
        if minted.returncode != 0:
            raise RuntimeError(minted.stderr)
        return minted.stdout.strip()

    def getter(self, *arguments):
        """A token getter, and the queue of the times it was asked."""
        asked = asyncio.Queue()

        async def get(*_):
            asked.put_nowait(time.time())
            return await self.mint(*arguments)

        return get, asked

    async def open_client(self, **options):
        client = Client(
            self.daemon.websocket(self.relay.port), events=Connection(), proxy=None,
            use_protobuf=self.is_protobuf, data=self.pack({"device": "tv"}),
            max_reconnect_delay=0.5, **options)
        self.clients.append(client)
        await client.connect()
        return client


def own(secret=SECRET, algorithm="HS256", **claims):
    """A token that coordd has not minted."""
    return jwt.encode({"sub": "u", "sessions": ["a"], **claims}, secret, algorithm)


def unbroken(subscription):
    """It was subscribed once, and nothing but publications came since."""
    events = subscription.events
    names = [*events.passed, *(name for name, _ in events.queue._queue)]
    assert [name for name in names if name != "publication"] == ["subscribing", "subscribed"], names


async def refresh(world):
    """The token lasts two seconds; the connection goes on with new ones."""
    get, asked = world.getter(
        "--session", "a", "--role", "player", "--create", "--user", "u", "--ttl", "2s")
    client = await world.open_client(get_token=get)
    await client.events.next("connected")
    subscription = await world.subscribe(client, "session:a")
    for _ in range(4):
        await within(asked.get(), "the next question for a token")
        # Answered on the same connection, whatever became of the token before.
        await world.rpc(client, "session.apply", session="a", event=stake(1))
    assert client.events.queue.empty() and "connecting" not in client.events.passed[1:]
    unbroken(subscription)


async def subscription_token(world):
    """A second session is allowed by a token of its own, which is renewed."""
    token = await world.mint(
        "--session", "a", "--role", "mirror", "--create", "--user", "u", "--ttl", "1h")
    client = await world.open_client(token=token)
    await client.events.next("connected")
    other = client.new_subscription("session:b", events=Channel())
    await other.subscribe()
    assert (await other.events.next("unsubscribed")).code == 103
    client.remove_subscription(other)
    get, asked = world.getter(
        "--channel", "session:b", "--role", "mirror", "--create", "--user", "u", "--ttl", "2s")
    granted = await world.subscribe(client, "session:b", get_token=get)
    for _ in range(3):
        await within(asked.get(), "the next question for a token")
        await world.rpc(client, "session.apply", session="b", event=stake(1))
    unbroken(granted)


async def expired(world):
    """109: a new token is fetched where there is a getter, and without one that is the end."""
    old = own(exp=int(time.time()) - 100)
    get, asked = world.getter("--session", "a", "--role", "mirror", "--user", "u")
    client = await world.open_client(token=old, get_token=get)
    await client.events.next("connected")
    assert asked.qsize() == 1
    alone = await world.open_client(token=old)
    assert "unauthorized" in (await alone.events.next("disconnected")).reason


async def refused(world):
    """Tokens that are not right end it for good, with 3500."""
    good = own()
    none = jwt.encode({"sub": "u", "sessions": ["a"]}, "", "none")
    for token in (own("another secret, just as long as that"), good[:-2], none, "x.y.z",
                  own(algorithm="HS512"), own(channel="session:a")):
        client = await world.open_client(token=token)
        ended = await client.events.next("disconnected")
        assert ended.code == 3500 and ended.reason, (ended, token)


async def roles(world):
    """A token names session and highest role; nothing else is allowed."""
    tv = await world.open_client(token=own(create=True))
    await tv.events.next("connected")
    denied = tv.new_subscription("session:a", events=Channel(), data=world.pack({"role": "mirror"}))
    await denied.subscribe()
    assert (await denied.events.next("unsubscribed")).code == 103
    tv.remove_subscription(denied)
    await world.subscribe(tv, "session:a", data=world.pack({"role": "observer"}))
    denied = world.rpc(tv, "session.apply", session="a", event=stake(1))
    assert await refusal(denied) == 103
    assert await refusal(world.rpc(tv, "session.state", session="b")) == 103
    phone = await world.open_client(token=own(role="player", device="phone"))
    await phone.events.next("connected")
    await world.subscribe(phone, "session:a")
    await world.subscribe(phone, "stage:a", data=world.pack({"facts": {}}))
    people = (await phone.presence("session:a")).clients.values()
    devices = {world.open(person.chan_info)["device"] for person in people}
    assert devices == {"phone", "u:tv"}, devices
    assert {person.user for person in people} == {"u"}, people


async def nothing(world):
    """Without a token there is no connection."""
    client = await world.open_client()
    ended = await client.events.next("disconnected")
    assert ended.reason, ended
    line = await Line.connected(world.daemon.port)
    answer = await line.call(connect={"data": {"device": "tv"}})
    assert "connect" not in answer and answer.get("error") or answer.get("push"), answer
    line.close()


SCENARIOS = {
    "token refresh on a living connection": refresh,
    "subscription token and its refresh": subscription_token,
    "expired token: error 109": expired,
    "bad tokens: 3500": refused,
    "roles and sessions": roles,
    "no token": nothing,
}


async def run(encoding, name):
    async with Tokens(encoding) as world:
        await SCENARIOS[name](world)

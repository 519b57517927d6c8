"""What devices were told of their sessions, and whether another daemon on a copy of the data knows it."""

import json
import random

from wire import Connection, Failed, fold, publications, published, wait

# Less than the daemon's replay window of 256 and than the 256 ids that it remembers of a device.
WINDOW = 200
# Acknowledged events of each device that are sent again in a check.
REPEATED = 12


class Session:
    """All that was seen of one session, and all that was answered."""

    def __init__(self, name):
        self.name = name
        self.epoch = None
        self.top = 0
        self.state = None
        self.folded = 0
        self.seen = {}
        self.effects = {}
        # By device: the events with an answer, as (id, event, revision), and those without, by id.
        self.acknowledged = {}
        self.unanswered = {}
        self.counts = {}
        # The session may be deleted from now on.
        self.may_be_gone = False
        self.is_gone = False
        # Nobody has followed it since.
        self.was_left = False
        # It may be so old that none of its publications is kept.
        self.ages = False

    def fold(self):
        """Brings the state to the newest revision that was seen."""
        while self.folded < self.top:
            self.folded += 1
            self.state = fold(self.state, json.loads(self.seen[self.folded])["patch"])
            self.seen.pop(self.folded - 2 * WINDOW, None)


class Device:
    """A device that follows a session, sends events, and notes what it hears."""

    def __init__(self, ledger, session, name, port, has_stage=False):
        self.ledger = ledger
        self.session = session
        self.name = name
        # Goes on where an earlier connection of this device ended.
        self.count = session.counts.get(name, 0)
        self.underway = 0
        self.failures = 0
        self.connection = Connection(port, name, self.heard)
        self.connection.send(
            "subscribe", {"channel": f"session:{session.name}"}, self.subscribed)
        if has_stage:
            self.connection.send(
                "subscribe", {"channel": f"stage:{session.name}",
                              "data": {"facts": {"orientation": "portrait"}}}, lambda text: None)

    def subscribed(self, text):
        answer = json.loads(text)["subscribe"]
        session = self.session
        if session.epoch is None:
            session.epoch, session.top = answer["epoch"], answer["offset"]
            session.folded, session.state = answer["offset"], answer["data"]["state"]
        elif session.was_left and (
                (answer["epoch"], answer["offset"]) != (session.epoch, session.top)):
            raise Failed(f"{session.name} was left at {session.top} of {session.epoch}, and is at "
                         f"{answer['offset']} of {answer['epoch']}")
        session.was_left = False

    def heard(self, text):
        if '"pub":' not in text[:300]:
            return
        data, offset, _ = published(text, text.index('{"data":'))
        session = self.session
        if text.startswith('{"push":{"channel":"stage:'):
            session.effects[json.loads(data)["seq"]] = data
        elif offset is not None:
            if session.seen.setdefault(offset, data) != data:
                raise Failed(f"{session.name}: revision {offset} came with two texts")
            session.top = max(session.top, offset)

    def play(self, choice):
        """Sends an event that must not count twice."""
        self.count += 1
        self.session.counts[self.name] = self.count
        key = f"{self.name}/{self.count}"
        kind = choice.random()
        if kind < 0.4:
            event = {"type": "fullscreen.toggle"}
        elif kind < 0.6:
            event = {"type": "betslip.add", "sportsbookSelectionId": f"s{choice.randrange(40)}",
                     "decimalPrice": f"{choice.randrange(101, 900) / 100:.2f}"}
        elif kind < 0.7:
            event = {"type": "betslip.remove", "sportsbookSelectionId": f"s{choice.randrange(40)}"}
        else:
            event = {"type": "betslip.update", "stake": f"{5 * self.count}.00"}
        event["mark"] = key
        session = self.session
        session.unanswered.setdefault(self.name, {})[key] = event
        self.underway += 1

        def answered(text):
            self.underway -= 1
            self.ledger.answered += 1
            answer = json.loads(text)
            data = answer.get("rpc", {}).get("data")
            if data is None:
                # Refused by a rule, or by a disk: it must not count; 503 is the harness's to expect.
                self.failures += answer["error"]["code"] == 503
                session.unanswered[self.name].pop(key)
                return
            session.unanswered[self.name].pop(key)
            session.acknowledged.setdefault(self.name, []).append((key, event, data["rev"]))
            del session.acknowledged[self.name][:-WINDOW]

        self.connection.apply(session.name, event, key, answered)


class Ledger:
    """The sessions of a run."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.sessions = {}
        self.devices = []
        self.answered = 0

    def join(self, port, sessions, mirrors, stages=True):
        """Connects a phone with the stage and some mirrors to each of the sessions."""
        for name in sessions:
            session = self.sessions.setdefault(name, Session(name))
            for number in range(mirrors + 1):
                self.devices.append(
                    Device(self, session, f"d{number}-{name}", port, has_stage=stages and number == 0))
        wait(self.connections, lambda: not any(c.waiting for c in self.connections), 20)

    @property
    def connections(self):
        return [device.connection for device in self.devices]

    @property
    def underway(self):
        return sum(device.underway for device in self.devices)

    @property
    def answers(self):
        return self.answered

    def play(self, limit):
        """Has a random device send a few events, if it has not too many under way."""
        device = self.random.choice(self.devices)
        for _ in range(self.random.randrange(1, 5)):
            if device.underway < limit and not device.connection.ended:
                device.play(self.random)

    def leave(self):
        for connection in self.connections:
            connection.close()
        for session in self.sessions.values():
            session.was_left = True
        self.devices = []


def check(ledger, port, epochs_may_change=False):
    """What a daemon on a copy of the data does not know although somebody was told, in words.

    Returns the problems and the number of revisions that were compared. With `epochs_may_change`
    a session may have a new epoch, in which its state must be the same.
    """
    problems = []
    compared = 0
    for session in ledger.sessions.values():
        if session.epoch is None:
            continue
        session.fold()
        try:
            compared += check_session(session, port, problems, epochs_may_change)
        except Failed as failure:
            problems.append(f"{session.name}: {failure}")
    return problems, compared


def check_session(session, port, problems, epochs_may_change):
    def tell(words):
        problems.append(f"{session.name}: {words}")

    pushed = []
    checker = Connection(port, "checker", pushed.append)
    channel = f"session:{session.name}"
    text = checker.ask("subscribe", {"channel": channel, "recover": True, "epoch": session.epoch,
                                     "offset": session.top})
    answer = json.loads(text)
    if "error" in answer:
        if session.may_be_gone and answer["error"]["code"] in (102, 103):
            session.is_gone = True
        else:
            tell(f"subscribing is answered with {answer['error']}")
        checker.close()
        return 0
    answer = answer["subscribe"]
    if session.is_gone:
        tell("it is back after it was deleted")
    if answer["epoch"] != session.epoch:
        if not epochs_may_change:
            tell(f"epoch {session.epoch} has become {answer['epoch']} at "
                 f"revision {answer['offset']} of {session.top}")
        elif answer["offset"] < session.top or answer["data"]["state"] != session.state:
            tell("its state in the new epoch is another one")
        checker.close()
        return 0
    if session.ages and not answer.get("recovered"):
        if answer["offset"] < session.top:
            tell(f"revision {session.top} is gone, the newest is {answer['offset']}")
        if answer["offset"] == session.top and answer["data"]["state"] != session.state:
            tell(f"its state is {answer['data']['state']}, expected was {session.state}")
        checker.close()
        return 0
    if not answer.get("recovered"):
        tell(f"revision {session.top} is not recovered, the newest is {answer['offset']}")
        checker.close()
        return 0

    state, top = session.state, session.top
    marks = {}

    def follow(found):
        nonlocal state, top
        for data, offset in found:
            if offset is None:
                continue
            if offset != top + 1:
                tell(f"revision {offset} comes after {top}")
            top = offset
            state = fold(state, json.loads(data)["patch"])

    follow(publications(text))
    # Everything that is kept, with the very bytes that were seen.
    since = max(0, session.top - WINDOW)
    compared = 0
    while True:
        page = publications(checker.ask("history", {
            "channel": channel, "limit": -1, "since": {"epoch": session.epoch, "offset": since}}))
        for data, offset in page:
            if offset != since + 1:
                tell(f"the history has {offset} after {since}")
            since = offset
            seen = session.seen.get(offset)
            if seen is not None:
                compared += 1
                if seen != data:
                    tell(f"revision {offset} is {data}, seen was {seen}")
            mark = json.loads(data)["event"].get("mark")
            if mark is not None and marks.setdefault(mark, offset) != offset:
                tell(f"event {mark} counts as {marks[mark]} and as {offset}")
        if not page:
            break
    if since < session.top:
        tell(f"the history ends at {since}, seen was {session.top}")

    # Acknowledged events are known, and those whose answer was lost count once.
    for device, entries in session.acknowledged.items():
        repeated = entries[-REPEATED:]
        lost = list(session.unanswered.get(device, {}).items())
        again = Connection(port, device)
        answers = {}
        for key, event, _ in repeated:
            again.apply(session.name, event, key, lambda text, key=key: answers.update({key: text}))
        for key, event in lost:
            again.apply(session.name, event, key, lambda text, key=key: answers.update({key: text}))
        wait([again], lambda: len(answers) == len(repeated) + len(lost), 20)
        again.close()
        for key, _, revision in repeated:
            data = json.loads(answers[key]).get("rpc", {}).get("data", {})
            if data.get("rev") != revision or not data.get("duplicate"):
                tell(f"event {key}, answered with revision {revision}, is answered {answers[key]}")
        for key, _ in lost:
            data = json.loads(answers[key]).get("rpc", {}).get("data", {})
            if key in marks and (data.get("rev") != marks[key] or not data.get("duplicate")):
                tell(f"event {key} is revision {marks[key]} and is answered {answers[key]}")

    # An effect keeps its number and its text.
    if session.effects:
        phone = Connection(port, f"d0-{session.name}")
        text = phone.ask("subscribe", {"channel": f"stage:{session.name}"})
        for effect in json.loads(text).get("subscribe", {}).get("data", {}).get("pending", []):
            seen = session.effects.get(effect["seq"])
            if seen is not None and json.loads(seen) != effect:
                tell(f"effect {effect['seq']} is {effect}, seen was {seen}")
            if seen is None and effect["seq"] <= min(session.effects):
                tell(f"effect {effect['seq']} is new, {min(session.effects)} was the first")
        phone.close()

    # The state is what the patches lead to.
    answer = json.loads(checker.call("session.state", {"session": session.name}))["rpc"]["data"]
    while pushed or top < answer["rev"]:
        text = pushed.pop(0) if pushed else None
        if text is None:
            wait([checker], lambda: pushed, 20)
            continue
        if '"pub":' in text[:300]:
            data, offset, _ = published(text, text.index('{"data":'))
            if offset is None or offset <= top or offset > answer["rev"]:
                continue
            follow([(data, offset)])
    if state != answer["state"]:
        tell(f"folded to {state} at {top}, the daemon says {answer['state']} at {answer['rev']}")
    checker.close()
    return compared

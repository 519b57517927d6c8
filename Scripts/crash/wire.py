"""A client of the line protocol that keeps the bytes of what it was told."""

import json
import re
import selectors
import socket
import time

DECODER = json.JSONDecoder()
OFFSET = re.compile(r',"offset":(\d+)')


class Failed(Exception):
    """What keeps the harness itself from going on, in words."""


def published(text, start):
    """The publication that begins at `start`: the text of its data, its offset, where it ends."""
    _, data_end = DECODER.raw_decode(text, start + len('{"data":'))
    _, end = DECODER.raw_decode(text, start)
    offset = OFFSET.match(text, data_end)
    return text[start + len('{"data":'):data_end], int(offset[1]) if offset else None, end


def publications(text):
    """All publications of an answer, each with the text of its data and its offset."""
    place = text.find('"publications":[')
    found = []
    if place < 0:
        return found
    place += len('"publications":[')
    while text.startswith('{"data":', place):
        data, offset, place = published(text, place)
        found.append((data, offset))
        place += 1
    return found


def fold(state, patch):
    """A merge patch (RFC 7396) on a state."""
    if not isinstance(patch, dict):
        return patch
    result = dict(state) if isinstance(state, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = fold(result.get(name), value)
    return result


class Connection:
    """One connection of a device; `on_push` gets the text of each line that is no answer."""

    def __init__(self, port, device, on_push=None):
        self.device = device
        self.on_push = on_push or (lambda text: None)
        self.waiting = {}
        self.number = 0
        self.ended = False
        self.input = b""
        self.output = b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.send("connect", {"data": {"device": device}}, lambda text: None)

    def send(self, name, body, then):
        """Sends a command; `then` gets the text of the answer."""
        self.number += 1
        self.waiting[self.number] = then
        command = {"id": self.number, name: body}
        self.output += json.dumps(command, separators=(",", ":")).encode() + b"\n"
        self.flush()

    def apply(self, session, event, key, then):
        data = {"session": session, "id": key, "event": event}
        self.send("rpc", {"method": "session.apply", "data": data}, then)

    def flush(self):
        while self.output and not self.ended:
            try:
                count = self.socket.send(self.output)
            except BlockingIOError:
                return
            except OSError:
                self.ended = True
                return
            self.output = self.output[count:]

    def read(self):
        """Reads what is there; false when nothing is."""
        try:
            chunk = self.socket.recv(1 << 20)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return False
        self.input += chunk
        *lines, self.input = self.input.split(b"\n")
        for line in lines:
            self.take(line.decode())
        return True

    def take(self, text):
        if text == "{}":
            self.output += b"{}\n"
            return self.flush()
        if not text.startswith('{"id":'):
            return self.on_push(text)
        number = int(text[len('{"id":'):text.index(",")])
        self.waiting.pop(number)(text)

    def close(self):
        self.ended = True
        self.socket.close()

    def ask(self, name, body, seconds=20):
        """The text of the answer to a command."""
        answers = []
        self.send(name, body, answers.append)
        wait([self], lambda: answers, seconds)
        return answers[0]

    def call(self, method, data):
        return self.ask("rpc", {"method": method, "data": data})


def pump(connections, seconds):
    """Reads and writes what is possible; waits for something at most so long."""
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            if not connection.ended:
                wanted = selectors.EVENT_READ
                if connection.output:
                    wanted |= selectors.EVENT_WRITE
                selector.register(connection.socket, wanted, connection)
        if not selector.get_map():
            return time.sleep(seconds)
        for key, _ in selector.select(seconds):
            key.data.flush()
            key.data.read()


def wait(connections, condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if any(connection.ended for connection in connections):
            raise Failed("the daemon ended a connection")
        if time.monotonic() > end:
            raise Failed(f"no answer within {seconds} s")
        pump(connections, 0.1)


def drain(connections):
    """Takes everything that a stopped daemon has sent."""
    quiet = 0
    while quiet < 2:
        if any([connection.read() for connection in connections if not connection.ended]):
            quiet = 0
        else:
            quiet += 1
            time.sleep(0.001)

"""The other servers: how each is started so that it does the same work, on loopback, alone."""

import json
import os
import shutil
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

# What NATS must be told so that it keeps what the sessions' phones publish.
STREAM = {"name": "BENCH", "subjects": ["bench.*"], "storage": "file", "retention": "limits",
          "max_msgs_per_subject": 1000}


@dataclass(frozen=True)
class Peer:
    """A server that passes on messages too."""

    package: str  # of Debian, which has no Socket.IO
    dialect: str  # of bench-load
    command: Callable  # (port, folder, durable) -> the command; may write files into the folder
    prepare: Callable = None  # (port); what a durable server needs before the load
    durable: str = ""  # what its answer to an event means; empty where there is none

    @staticmethod
    def free_port():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return listener.getsockname()[1]

    @staticmethod
    def accepts(port):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False


def redis(port, folder, durable):
    log = ["--appendonly", "yes", "--appendfsync", "always"] if durable else ["--appendonly", "no"]
    return ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder),
            "--save", "", "--maxclients", "20000", "--tcp-backlog", "4096",
            "--loglevel", "warning", *log]


def nats(port, folder, durable):
    stream = ["-js", "-sd", str(folder / "streams")] if durable else []
    return ["nats-server", "-a", "127.0.0.1", "-p", str(port), *stream]


def make_stream(port):
    body = json.dumps(STREAM)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        lines = connection.makefile("rb")
        connection.sendall(
            b'CONNECT {"verbose":false}\r\nSUB made 1\r\n'
            + f"PUB $JS.API.STREAM.CREATE.BENCH made {len(body)}\r\n{body}\r\n".encode())
        for line in lines:
            if line.startswith(b"{"):
                if b'"error"' in line:
                    raise RuntimeError(f"NATS makes no stream: {line.decode()}")
                return


def mosquitto(port, folder, durable):
    lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", "set_tcp_nodelay true",
             "log_type error", "max_queued_messages 100000", "persistence false"]
    if os.geteuid() == 0:
        lines.append("user root")
    (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
    return ["mosquitto", "-c", str(folder / "mosquitto.conf")]


def nchan(port, folder, durable):
    """nginx in one process; as root it would give its rights away and lose its folder."""
    paths = "".join(f"    {kind}_temp_path {folder}/{kind};\n"
                    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "nginx.conf").write_text(f"""\
load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
{'user root;' if os.geteuid() == 0 else ''}
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 16384; }}
http {{
    access_log off;
    tcp_nodelay on;
    nchan_shared_memory_size 256m;
{paths}    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location ~ ^/pub/(\\w+)$ {{ nchan_publisher websocket; nchan_channel_id $1; }}
        location ~ ^/sub/(\\w+)$ {{
            nchan_subscriber websocket; nchan_channel_id $1;
            nchan_subscriber_first_message newest;
        }}
    }}
}}
""")
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def socketio(port, folder, durable):
    return ["node", str(Path(__file__).resolve().parents[1] / "Peers/socketio.js"), str(port)]


def absent(name):
    """Why a peer cannot be measured here; None when it can."""
    program = {"redis": "redis-server", "nats": "nats-server", "nchan": "nginx",
               "socketio": "node"}.get(name, name)
    if not shutil.which(program):
        return f"{program} is not installed"
    if name == "socketio" and not os.environ.get("SOCKET_IO"):
        return "neither Debian nor PyPI has Socket.IO; SOCKET_IO names a copy of the module"
    return None


PEERS = {
    "redis": Peer("redis-server", "resp", redis, durable="in the append-only file, synced"),
    "nats": Peer("nats-server", "nats", nats, make_stream, "in a file, not synced"),
    "mosquitto": Peer("mosquitto", "mqtt", mosquitto, durable="in memory (QoS 1)"),
    "nchan": Peer("libnginx-mod-nchan", "nchan", nchan),
    "socketio": Peer("", "socketio", socketio),
}

"""What is measured in pairs of runs, and what coordd must reach."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """One load on both servers, and the ratio of coordd's figure to the floor's."""

    name: str
    about: str
    load: str  # flags of bench-load
    target: float | None  # of the ratio; None where there is nothing to reach
    durable: bool = False  # coordd commits, the floor has a journal
    figure: str = "serverSecondsPerMillion"  # the key of bench-load's result that is compared
    more: bool = False  # whether more is better
    websocket: bool = False  # coordd's carrier; the floor has lines all the same

    def met(self, ratio):
        if self.target is None:
            return True
        return ratio >= self.target if self.more else ratio <= self.target

    def load_of(self, server):
        return f"{self.load} --carrier websocket" if self.websocket and server == "coordd" else self.load


W1 = "--mode open --sessions 1000 --subscribers 2 --rate 5000"
CLOSED = "--mode closed --sessions 100 --subscribers 10"
W2 = f"{CLOSED} --window 4"
W2_ACK = f"{CLOSED} --window 1 --ack own"
W3 = "--mode closed --sessions 1 --subscribers 1000 --window 4"

WORKLOADS = [
    Workload("W1", "1000 x (1+2), 5000 events/s", W1, 1.5),
    Workload("W2", "100 x (1+10), 4 in flight", W2, 1.5),
    Workload("W2-w1", "100 x (1+10), 1 in flight", f"{CLOSED} --window 1", 1.25),
    Workload("W3", "1 x (1+1000), 4 in flight", W3, 1.15),
    Workload("W1-ws", "W1, coordd over WebSocket", W1, None, websocket=True),
    Workload("W2-ws", "W2, coordd over WebSocket", W2, None, websocket=True),
    Workload("W3-ws", "W3, coordd over WebSocket", W3, 1.15, websocket=True),
    Workload("W1-commit", "W1, every event synced", W1, 1.3, durable=True),
    Workload(
        "W2-ack", "100 x (1+10), 1 in flight, each synced and answered", W2_ACK, 0.95,
        durable=True, figure="deliveriesPerSecond", more=True),
]

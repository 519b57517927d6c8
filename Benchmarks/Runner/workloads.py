"""What is measured, and what coordd must reach."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """One load on both servers, and the ratio of coordd's figure to the floor's."""

    name: str
    about: str
    load: str  # flags of bench-load
    durability: str  # of coordd; with "commit" the floor has a journal
    figure: str  # the key of bench-load's result that is compared
    target: float
    more: bool = False  # whether more is better

    def met(self, ratio):
        return ratio >= self.target if self.more else ratio <= self.target


CPU = "serverSecondsPerMillion"
OPEN = "--mode open --sessions 1000 --subscribers 2 --rate 5000"
CLOSED = "--mode closed --sessions 100 --subscribers 10"

WORKLOADS = [
    Workload("W1", "1000 x (1+2), 5000 events/s", OPEN, "memory", CPU, 1.5),
    Workload("W2", "100 x (1+10), 4 in flight", f"{CLOSED} --window 4", "memory", CPU, 1.5),
    Workload("W2-w1", "100 x (1+10), 1 in flight", f"{CLOSED} --window 1", "memory", CPU, 1.25),
    Workload(
        "W3", "1 x (1+1000), 4 in flight",
        "--mode closed --sessions 1 --subscribers 1000 --window 4", "memory", CPU, 1.15),
    Workload("W1-commit", "W1, every event synced", OPEN, "commit", CPU, 1.3),
    Workload(
        "W2-ack", "100 x (1+10), 1 in flight, each synced and answered",
        f"{CLOSED} --window 1 --ack own", "commit", "deliveriesPerSecond", 0.95, more=True),
]

"""Line charts as SVG, written by hand: panels below each other, each with its own axes."""

import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 860, 250, 80, 150, 66, 62
INK, FAINT = "#222222", "#dddddd"


@dataclass
class Series:
    """Points of one line, by x."""

    label: str
    points: list
    colour: str
    dashed: bool = False


@dataclass
class Panel:
    """A pair of axes with lines in it."""

    y_label: str
    series: list
    x_label: str
    log_x: bool = False
    log_y: bool = False
    from_zero: bool = True  # of a linear y axis
    bands: list = field(default_factory=list)  # (low, high, colour) across the panel


def nice_step(span, most):
    """A step of 1, 2 or 5 times a power of ten that divides a span into at most so many."""
    raw = span / most
    power = 10 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))


def ticks(low, high, most=6):
    """Round numbers between two numbers."""
    if high <= low:
        return [low]
    step = nice_step(high - low, most)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high):
    """Powers of ten between two positive numbers, with 2 and 5 times them when those are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1,) if len(powers) > 4 else (1, 2, 5)
    values = [factor * 10.0 ** power for power in powers for factor in factors]
    return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def shown(value):
    """A number as short as it can be."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.6g}"


class Axis:
    """Places numbers between two ends of a line of pixels."""

    def __init__(self, values, begin, end, log=False, from_zero=False):
        self.log, self.begin, self.end = log, begin, end
        if log:
            values = [v for v in values if v > 0]
        low, high = (min(values), max(values)) if values else (1 if log else 0, 10 if log else 1)
        if log:
            low, high = low / 1.15, high * 1.15
        else:
            low = min(0, low) if from_zero else low
            room = (high - low or abs(high) or 1) * 0.06
            high += room
            low -= 0 if from_zero and low == 0 else room
        self.low, self.high = low, high

    def place(self, value):
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        return log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high)


def text(x, y, words, anchor="middle", size=12, colour=INK, turned=False):
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}"{turn}>{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>')


@dataclass
class Chart:
    """A title, a line of explanation, and panels."""

    title: str
    about: str
    panels: list

    def svg(self):
        height = TOP + len(self.panels) * (PANEL + GAP)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, Helvetica, sans-serif">',
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            text(LEFT, 26, self.title, "start", 16),
            text(LEFT, 46, self.about, "start", 11, "#666666"),
        ]
        for number, panel in enumerate(self.panels):
            parts += self.drawn(panel, TOP + number * (PANEL + GAP))
        return "\n".join(parts + ["</svg>", ""])

    def drawn(self, panel, top):
        bottom, right = top + PANEL, WIDTH - RIGHT
        points = [p for s in panel.series for p in s.points]
        # Panels with the same label have the same ends.
        along = [p[0] for other in self.panels if other.x_label == panel.x_label
                 for s in other.series for p in s.points]
        x = Axis(along, LEFT, right, panel.log_x, from_zero=not panel.log_x)
        y = Axis([p[1] for p in points] + [edge for b in panel.bands for edge in b[:2]],
                 bottom, top, panel.log_y, panel.from_zero)
        parts = []
        for low, high, colour in panel.bands:
            parts.append(f'<rect x="{LEFT}" y="{y.place(high):.1f}" width="{right - LEFT}" '
                         f'height="{y.place(low) - y.place(high):.1f}" fill="{colour}"/>')
        for value in y.ticks():
            at = y.place(value)
            parts += [line(LEFT, at, right, at, FAINT), text(LEFT - 8, at + 4, shown(value), "end")]
        for value in x.ticks():
            at = x.place(value)
            parts += [line(at, bottom, at, bottom + 5, INK),
                      text(at, bottom + 19, shown(value), size=11)]
        parts += [line(LEFT, top, LEFT, bottom, INK), line(LEFT, bottom, right, bottom, INK),
                  text(20, (top + bottom) / 2, panel.y_label, turned=True),
                  text((LEFT + right) / 2, bottom + 38, panel.x_label)]
        for number, series in enumerate(panel.series):
            parts += self.traced(series, x, y)
            parts += self.named(series, right + 14, top + 10 + 20 * number)
        return parts

    def traced(self, series, x, y):
        usable = [p for p in series.points if not (y.log and p[1] <= 0)]
        if not usable:
            return []
        places = [(x.place(a), y.place(b)) for a, b in usable]
        dash = ' stroke-dasharray="6 4"' if series.dashed else ""
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts = [f'<polyline points="{path}" fill="none" stroke="{series.colour}" '
                 f'stroke-width="1.8"{dash}/>']
        if len(places) <= 40:
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{series.colour}"/>'
                      for a, b in places]
        return parts

    def named(self, series, x, y):
        dash = ' stroke-dasharray="6 4"' if series.dashed else ""
        return [f'<line x1="{x}" y1="{y}" x2="{x + 26}" y2="{y}" stroke="{series.colour}" '
                f'stroke-width="1.8"{dash}/>', text(x + 32, y + 4, series.label, "start", 11)]

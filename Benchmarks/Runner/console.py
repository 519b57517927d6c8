"""Progress for a terminal and tables for everybody."""

import sys


def progress(text):
    """A passing line on a terminal, a line of its own elsewhere; empty at the end."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def table(head, rows):
    """Lines of a table: the first column to the left, numbers to the right."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    numeric = [all(is_figure(row[i]) for row in cells[1:]) for i in range(len(head))]
    return ["  ".join(cell.rjust(width) if right else cell.ljust(width)
                      for cell, width, right in zip(row, widths, numeric)).rstrip()
            for row in cells]


def is_figure(text):
    return text in ("", "-") or text.lstrip("+-").replace(",", "").rstrip("%x").replace(".", "", 1).isdigit()


def verdict(met):
    return "met" if met else "MISSED"

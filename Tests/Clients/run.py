#!/usr/bin/env python3
"""Runs clients that others have made against coordd and prints a table; exits 1 when one fails.

Usage: run.py [WORD …]: only those scenarios whose line has one of the words.
"""

import asyncio
import sys
import time
import traceback

import independent
import sdk
import secure
import tokens


def scenarios():
    for encoding in ("JSON", "Protobuf"):
        for name in sdk.SCENARIOS:
            yield f"centrifuge-python {encoding}", name, sdk.run, encoding
        for name in tokens.SCENARIOS:
            yield f"centrifuge-python {encoding}", name, tokens.run, encoding
    for module in (independent, secure):
        for client, table in module.SCENARIOS.items():
            for name in table:
                yield client, name, module.run, client


def main(words):
    chosen = [
        each for each in scenarios() if not words or any(word in " ".join(each[:2]) for word in words)
    ]
    failures = []
    for client, name, run, key in chosen:
        start = time.monotonic()
        try:
            asyncio.run(run(key, name))
            result = "ok"
        except Exception:
            failures.append((client, name, traceback.format_exc()))
            result = "FAILED"
        print(f"{client:27} {name:42} {result:7}{time.monotonic() - start:5.1f} s", flush=True)
    for client, name, text in failures:
        print(f"\n{client}, {name}:\n{text}", file=sys.stderr)
    print(f"{len(chosen) - len(failures)} of {len(chosen)} scenarios passed")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Times single operations on the CPU device beside ONNX Runtime, in turns, and prints those that are slower.

sweep.py BUILD_DIRECTORY NODE_MODULES [--only REGEX] [--threads N]... [--rounds N] [--below RATIO] [--json FILE] [--list]

Ratios are ONNX Runtime's time over ours: below 1 we are slower. Times are the best of the rounds' medians. Under some 50 microseconds, the
overhead of ONNX Runtime's JavaScript binding flatters us."""
import argparse
import json
import math
import pathlib
import re
import sys
import tempfile

import turns
from sweep_cases import cases

SECONDS, MOST_RUNS = 0.05, 2000  # per engine and round


def measure(arguments, file, threads):
    """The best medians: ours, ONNX Runtime's."""
    with turns.ours(arguments.build, file, threads) as mine, turns.onnx_runtime(arguments.modules, file, threads) as theirs:
        engines = [(engine, engine.runs_in(SECONDS, MOST_RUNS)) for engine in (mine, theirs)]
        rounds = [[engine.run(count) for engine, count in engines] for _ in range(arguments.rounds)]
    return [min(times) for times in zip(*rounds)]


def summary(rows):
    by_family = {}
    for row in rows:
        by_family.setdefault(row["name"].rsplit("/", 1)[0], []).append(math.log(row["ratio"]))
    lines = [f"{name:28} {len(logs):4} {math.exp(sum(logs) / len(logs)):7.2f}" for name, logs in sorted(by_family.items())]
    logs = [math.log(row["ratio"]) for row in rows]
    if logs:
        lines.append(f"{'all':28} {len(logs):4} {math.exp(sum(logs) / len(logs)):7.2f}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    turns.add_engines(parser)
    turns.add_threads(parser)
    parser.add_argument("--only", default="", help="names that match this expression")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--below", type=float, default=0.9, help="print operations whose ratio is smaller")
    parser.add_argument("--json", help="write all rows")
    parser.add_argument("--list", action="store_true", help="print the names only")
    arguments = parser.parse_args()
    chosen = [case for case in cases() if re.search(arguments.only, case[0])]
    if arguments.list:
        print("\n".join(name for name, _ in chosen))
        return 0
    rows, failures = [], []
    with tempfile.TemporaryDirectory(prefix="nnrt_sweep_") as folder:
        file = pathlib.Path(folder) / "operation.onnx"
        for name, model in chosen:
            file.write_bytes(model())
            for threads in turns.thread_counts(arguments):
                try:
                    mine, theirs = measure(arguments, file, threads)
                except turns.Failed as error:
                    failures.append(f"{name}: {error}")
                    continue
                rows.append({"name": name, "threads": threads, "ms": mine, "peer_ms": theirs, "ratio": theirs / mine})
                if theirs / mine < arguments.below:
                    print(f"{theirs / mine:5.2f}  {name}, {threads} threads: {mine:.4f} ms, ONNX Runtime {theirs:.4f}", flush=True)
    print("\n".join(summary(rows)))
    for failure in failures:
        print(failure, file=sys.stderr)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

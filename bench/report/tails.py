#!/usr/bin/env python3
"""Compares the medians and 99th percentiles of model files on the CPU device with those of ONNX Runtime, in turns; prints Markdown.

tails.py BUILD_DIRECTORY NODE_MODULES FILE... [--threads N]... [--runs N] [--busy CORE] [--spin]

--busy also measures while a process keeps this core busy, and prints by how much the medians grow. Runs come in bursts with a pause after each,
because Linux stops programs of real-time priority that leave no time for others. The first run of a burst is not counted. --spin also measures
a loop in registers that takes as long as our median: its tail is that of the machine."""
import argparse
import os
import pathlib
import subprocess
import sys
import time

import turns

BURST, PAUSE = 0.3, 0.15  # seconds
ENGINES = ("ours", "ONNX Runtime", "spin")


class Busy:
    """A process that computes on one core; None: nothing."""

    def __init__(self, core):
        self._core = core

    def __enter__(self):
        if self._core is not None:
            self._process = subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {self._core}))

    def __exit__(self, *_):
        if self._core is not None:
            self._process.kill()
            self._process.wait()


def percentile(values, part):
    """The smallest value that `part` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-part * len(ordered) // 1) - 1)]


def measure(engines, runs):
    """Times in milliseconds by engine."""
    counts = [engine.runs_in(BURST, runs) for engine in engines]
    times = [[] for _ in engines]
    while any(len(each) < runs for each in times):
        for engine, count, collected in zip(engines, counts, times):
            if len(collected) < runs:
                collected += [float(word) for word in engine.ask(f"times {count + 1}").split()][1:]
                time.sleep(PAUSE)
    return times


def start(arguments, file, threads):
    """Ours, ONNX Runtime and, if asked for, the spin."""
    ours = turns.ours(arguments.build, file, threads)
    yield ours
    yield turns.onnx_runtime(arguments.modules, file, threads)
    if arguments.spin:
        yield turns.Turns(["node", str(turns.PEER.with_name("spin.js")), str(ours.run(20)), str(threads)], dict(os.environ))


def rows_of(name, threads, load, times, quiet):
    """Table rows; `quiet` has the medians without a busy process."""
    rows = []
    for engine, values, before in zip(ENGINES, times, quiet):
        median, last = percentile(values, 0.5), percentile(values, 0.99)
        growth = f"{median / before:.2f}" if load != "none" else ""
        rows.append(f"| {name} | {threads} | {load} | {engine} | {median:.3g} | {last:.3g} | {last / median:.2f} | {growth} |")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    turns.add_engines(parser)
    turns.add_threads(parser)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--busy", type=int, metavar="CORE")
    parser.add_argument("--spin", action="store_true")
    parser.add_argument("--no-header", action="store_true")
    arguments = parser.parse_args()
    if not arguments.no_header:
        print("| model | threads | load | engine | median, ms | 99th percentile, ms | 99th / median | growth |")
        print("|", " | ".join(["---"] * 8), "|")
    for file in arguments.files:
        for threads in turns.thread_counts(arguments):
            engines = list(start(arguments, file, threads))
            quiet = None
            for core in [None] if arguments.busy is None else [None, arguments.busy]:
                with Busy(core):
                    times = measure(engines, arguments.runs)
                quiet = quiet or [percentile(values, 0.5) for values in times]
                print("\n".join(rows_of(file.stem, threads, "none" if core is None else f"core {core}", times, quiet)), flush=True)
            for engine in engines:
                engine.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except turns.Failed as failure:
        sys.exit(str(failure))

#!/usr/bin/env python3
"""Times single operations on the CPU device beside ONNX Runtime, in turns, and prints those that are slower.

sweep.py BUILD_DIRECTORY NODE_MODULES [--only REGEX] [--threads N]... [--rounds N] [--below RATIO] [--json FILE] [--list]

Ratios are ONNX Runtime's time over ours: below 1 we are slower. Times are the best of the rounds' medians. Under some 50 microseconds, the
overhead of ONNX Runtime's JavaScript binding flatters us."""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from sweep_cases import cases

SECONDS = 0.05  # per engine and round


class Peer:
    """ONNX Runtime with a loaded model."""

    def __init__(self, modules, file, threads):
        script = pathlib.Path(__file__).parents[1] / "peers/onnxruntime.js"
        self._process = subprocess.Popen(["node", str(script), str(pathlib.Path(modules).resolve()), str(file), str(threads)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._lines = iter(self._process.stdout.readline, "")
        if next(self._lines, "").strip() != "ready":
            lines = self._process.communicate()[1].splitlines()
            raise RuntimeError(next((line for line in lines if line.startswith("Error")), "no answer"))

    def median(self, runs):
        self._process.stdin.write(f"{runs}\n")
        self._process.stdin.flush()
        return float(next(self._lines))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()


def ours(build, file, threads):
    command = [str(pathlib.Path(build) / "bin/nnrt"), "bench", str(file), "--devices", "cpu", "--threads", str(threads), "--duration", str(SECONDS),
               "--warmup", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, NNRT_DEVICES="cpu"))
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return float(re.search(r'"p50": ([0-9.e+-]+)', done.stdout).group(1))


def measure(arguments, file, threads):
    """The best medians: ours, ONNX Runtime's."""
    mine, theirs = math.inf, math.inf
    with Peer(arguments.modules, file, threads) as peer:
        for _ in range(arguments.rounds):
            mine = min(mine, ours(arguments.build, file, threads))
            runs = max(3, int(SECONDS * 1000 / max(peer.median(1), 1e-3)))
            theirs = min(theirs, peer.median(min(runs, 2000)))
    return mine, theirs


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
    parser.add_argument("build")
    parser.add_argument("modules", help="node_modules with onnxruntime-node")
    parser.add_argument("--only", default="", help="names that match this expression")
    parser.add_argument("--threads", type=int, action="append")
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
            for threads in arguments.threads or [1, os.cpu_count()]:
                try:
                    mine, theirs = measure(arguments, file, threads)
                except RuntimeError as error:
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

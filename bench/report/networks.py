#!/usr/bin/env python3
"""Compares builds on the CPU, network by network, in turns with ONNX Runtime, and prints a table.

networks.py [EARLIER_BUILD...] --build BUILD [--peers NODE_MODULES] [--also NAME COMMAND]... [--network NAME]...
            [--threads N]... [--rounds N] [--seconds S] [--json FILE]

Needs NumPy and onnx. Earlier builds may be copies of bin and lib. All engines load a network first; then each round runs one after the other. Times are
medians of the rounds' medians, ratios the peer's time over that of BUILD. --also adds a peer that understands the commands of `turns`; {file} and
{threads} in its command are replaced."""
import argparse
import contextlib
import json
import os
import pathlib
import shlex
import statistics
import sys
import tempfile

import turns
from figures import geometric_mean
from measure import write_models

NETWORKS = ["squeezenet", "mobilenet_v2", "mobilenet_v3", "shufflenet_v2", "mnasnet", "efficientnet_b0", "resnet_18", "googlenet",
            "resnet_50", "vgg_16", "bert_layer", "gpt2_small_64", "vit_b16", "efficientnet_v2_s", "densenet_121", "maxvit_t",
            "mobilevit_s", "lstm"]
MOST_RUNS = 300


def peers_of(arguments):
    return (["ONNX Runtime"] if arguments.peers else []) + [name for name, _ in arguments.also]


def start(arguments, network, threads, folder):
    """The engines: earlier builds, the build, the peers."""
    file = pathlib.Path(folder) / f"{network}.onnx"
    if not file.exists():
        write_models(folder, network)
    for build in [*arguments.earlier, arguments.build]:
        yield turns.ours(build, file, threads)
    if arguments.peers:
        yield turns.onnx_runtime(arguments.peers, file, threads)
    for _, command in arguments.also:
        yield turns.Turns([word.format(file=file, threads=threads) for word in shlex.split(command)], dict(os.environ))


def medians(engines, rounds, seconds):
    """The median over rounds for each engine."""
    counts = [engine.runs_in(seconds, MOST_RUNS) for engine in engines]
    times = [[] for _ in engines]
    for first in range(rounds):
        for i in range(len(engines)):
            which = (first + i) % len(engines)  # nobody always follows the same one
            times[which].append(engines[which].run(counts[which]))
    return [statistics.median(each) for each in times]


def measure(arguments, network, threads, folder):
    with contextlib.ExitStack() as stack:
        engines = [stack.enter_context(engine) for engine in start(arguments, network, threads, folder)]
        return medians(engines, arguments.rounds, arguments.seconds)


def table(rows, builds, peers):
    """Lines of a Markdown table. The last build is compared with the peers."""
    titles = [build.name for build in builds] + [title for peer in peers for title in (peer, "ratio")]
    lines = ["| network | threads | " + " | ".join(titles) + " |", "| --- " * (2 + len(titles)) + "|"]
    for row in rows:
        ours, theirs = row["ms"][:len(builds)], row["ms"][len(builds):]
        cells = [row["network"], str(row["threads"])] + [f"{ms:.3g}" for ms in ours]
        cells += [cell for ms in theirs for cell in (f"{ms:.3g}", f"{ms / ours[-1]:.2f}")]
        lines.append("| " + " | ".join(cells) + " |")
    if peers and rows:
        means = [geometric_mean([row["ms"][len(builds) + i] / row["ms"][len(builds) - 1] for row in rows]) for i in range(len(peers))]
        lines.append("| geometric mean | |" + " |" * len(builds) + "".join(f" | {mean:.2f} |" for mean in means))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", nargs="*", type=pathlib.Path, help="build directories, or copies of their bin and lib")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, metavar="NODE_MODULES", help="where onnxruntime-node is installed")
    parser.add_argument("--also", nargs=2, action="append", default=[], metavar=("NAME", "COMMAND"), help="another peer")
    parser.add_argument("--network", action="append", help="only this one")
    turns.add_threads(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="per engine and round")
    parser.add_argument("--json", help="write all rows")
    arguments = parser.parse_args()
    rows, failed = [], False
    with tempfile.TemporaryDirectory(prefix="nnrt_networks_") as folder:
        for network in arguments.network or NETWORKS:
            for threads in turns.thread_counts(arguments):
                try:
                    ms = measure(arguments, network, threads, folder)
                except turns.Failed as failure:
                    print(f"{network}: {failure}", file=sys.stderr)
                    failed = True
                    continue
                rows.append({"network": network, "threads": threads, "ms": ms})
                print(network, threads, *(f"{value:.3g}" for value in ms), file=sys.stderr, flush=True)
            (pathlib.Path(folder) / f"{network}.onnx").unlink(missing_ok=True)
    print("\n".join(table(rows, [*arguments.earlier, arguments.build], peers_of(arguments))))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

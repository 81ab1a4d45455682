#!/usr/bin/env python3
"""Measures the decoder of text_models.py in turns on the CPU device, in ONNX Runtime and in llama.cpp; prints tokens per second as Markdown.

text.py BUILD_DIRECTORY NODE_MODULES MODELS [--llama LLAMA_BENCH] [--rounds N] [--threads N] [--past N]... [--only REGEX]

MODELS is the folder that text_models.py wrote. Prints medians over the rounds; a round of ours or of ONNX Runtime is the median of 0.3 s of runs."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import turns
from text_models import PAST, PROMPT

SECONDS, MOST_RUNS = 0.3, 2000
MODELS = (("half", "half", "half"), ("int8", "int8", "int8, float sums"), ("int8_level4", "int8", "int8, input quantized"),
          ("int4", "int4", "int4, float sums"), ("int4_level4", "int4", "int4, input quantized"))


# `past` is 0 for a prompt.
def llama(arguments, file, past):
    task = ["-p", "0", "-n", "32", "-d", str(past)] if past > 0 else ["-p", str(PROMPT), "-n", "0"]
    done = subprocess.run([arguments.llama, "-m", str(file), "-t", str(arguments.threads), "-r", "1", "-o", "json", *task], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout[done.stdout.index("["):])[0]["avg_ts"]


def measure(arguments, name, gguf, past):
    """Tokens per second by engine."""
    file = arguments.models / f"{name}_{past or 'prompt'}.onnx"
    tokens, rates = 1 if past > 0 else PROMPT, {"ours": [], "ONNX Runtime": [], "llama.cpp": []}
    with turns.ours(arguments.build, file, arguments.threads) as mine, turns.onnx_runtime(arguments.modules, file, arguments.threads) as theirs:
        engines = [("ours", mine, mine.runs_in(SECONDS, MOST_RUNS)), ("ONNX Runtime", theirs, theirs.runs_in(SECONDS, MOST_RUNS))]
        for _ in range(arguments.rounds):
            for which, engine, count in engines:
                rates[which].append(1000 * tokens / engine.run(count))
            if arguments.llama:
                rates["llama.cpp"].append(llama(arguments, arguments.models / f"{gguf}.gguf", past))
    return {engine: statistics.median(values) for engine, values in rates.items() if values}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    turns.add_engines(parser)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--llama", help="the program llama-bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--past", type=int, action="append", help="tokens before the one that is generated")
    parser.add_argument("--only", default="", help="rows that match this expression")
    arguments = parser.parse_args()
    engines = ["ours", "ONNX Runtime"] + (["llama.cpp"] if arguments.llama else [])
    print("| weights | task |", " | ".join(engines + [f"ours / {engine}" for engine in engines[1:]]), "|")
    print("|", " | ".join(["---"] * (2 * len(engines) + 1)), "|")
    for past in [*(arguments.past or [PAST]), 0]:
        for name, gguf, title in MODELS:
            task = f"one token after {past}" if past > 0 else f"prompt of {PROMPT} tokens"
            if not re.search(arguments.only, f"{name} {task}"):
                continue
            rates = measure(arguments, name, gguf, past)
            ratios = [f"{rates['ours'] / rates[engine]:.2f}" for engine in engines[1:]]
            print(f"| {title} | {task} |", " | ".join([f"{rates[engine]:.4g}" for engine in engines] + ratios), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

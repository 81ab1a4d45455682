#!/usr/bin/env python3
"""Runs a network in an execution provider of ONNX Runtime's Python package on command, like `turns`.

onnxruntime_provider.py FILE THREADS PROVIDER

PROVIDER is dnnl (oneDNN), xnnpack or cpu. Debian's package python3-onnxruntime has them; oneDNN takes its threads from OpenMP."""
import os
import statistics
import sys
import time

FILE, THREADS, PROVIDER = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # before the library is loaded

import numpy  # noqa: E402
import onnxruntime  # noqa: E402

PROVIDERS = {"dnnl": ("DnnlExecutionProvider", {}), "xnnpack": ("XnnpackExecutionProvider", {"intra_op_num_threads": str(THREADS)}),
             "cpu": ("CPUExecutionProvider", {})}


def session():
    name, provider_options = PROVIDERS[PROVIDER]
    if name not in onnxruntime.get_available_providers():
        sys.exit(f"ONNX Runtime has no {name} here.")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = THREADS
    if PROVIDER == "xnnpack":  # it has threads of its own, which must not compete with spinning ones
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(FILE, options, [(name, provider_options), "CPUExecutionProvider"])


def main():
    model = session()
    feeds = {it.name: numpy.linspace(-1, 1, int(numpy.prod(it.shape)), dtype=numpy.float32).reshape(it.shape) for it in model.get_inputs()}

    def run():
        start = time.perf_counter()
        model.run(None, feeds)
        return (time.perf_counter() - start) * 1e3
    for _ in range(2):
        run()
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        times = [run() for _ in range(max(1, int(words[-1])))]
        print(" ".join(map(str, times)) if words[0] == "times" else statistics.median(times), flush=True)


main()

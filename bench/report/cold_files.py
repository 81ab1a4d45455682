#!/usr/bin/env python3
"""Measures the first inference from model files, in fresh processes, and writes a page.

cold_files.py BUILD_DIRECTORY PAGE.md [--peers NODE_MODULES] [--network NAME]... [--rounds N] [--device cpu|gpu] [--small]

Every round starts each program once per file: without a cache, saving one, and restoring it. With --peers, ONNX Runtime loads the same ONNX
files in the same rounds; for the TFLite file it loads the same network as ONNX. Files are in the page cache. Figures are medians over rounds.
The raw data is written beside the page as JSON. Needs NumPy and onnx."""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from figures import figure, geometric_mean
from measure import Failed, commit, environment, machine, output_of, version_of_peer, write_models

NETWORKS = ["mobilenet_v2", "resnet_50", "vgg_16", "vit_b16", "gpt2_small", "dense"]
PHASES = ["start_ms", "import_ms", "build_ms", "run_ms", "total_ms", "cpu_ms", "peak_mb", "steady_mb"]
TITLES = ["start", "read", "build", "run", "total", "CPU time", "peak MB", "steady MB"]


class ColdFiles:
    def __init__(self, arguments):
        self.arguments = arguments
        self.bin = pathlib.Path(arguments.build) / "bin"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="nnrt_cold_", dir=arguments.work))
        self.rows, self.failures = [], []

    def ours(self, file, cache=None):
        command = [str(self.bin / "cold_file"), str(file), self.arguments.device, "--since", str(time.monotonic_ns())]
        variables = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true", NNRT_LOG="error")
        if self.arguments.device == "cpu" and not self.arguments.all_devices:
            variables = environment(None)
        return json.loads(output_of(command + (["--cache", str(cache)] if cache else []), variables))

    def theirs(self, file):
        script = pathlib.Path(__file__).parent.parent / "peers/onnxruntime_cold.js"
        threads = os.environ.get("NNRT_THREADS") or os.cpu_count()
        return json.loads(output_of(["node", str(script), str(pathlib.Path(self.arguments.peers).resolve()), str(file), str(threads)], dict(os.environ)))

    def files(self, name):
        """The files of a network by kind."""
        write_models(self.work, name, "--external", *(["--small"] if self.arguments.small else []))
        files = {"ONNX": self.work / f"{name}.onnx", "external": self.work / f"{name}.external.onnx"}
        if name == "dense":
            files["TFLite"] = self.work / "dense.tflite"
        return files

    def round(self, name, kind, file):
        """One process of each: {(engine, step): result}."""
        cache = self.work / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir()
        results = {("ours", "first"): self.ours(file), ("ours", "saving"): self.ours(file, cache)}
        self.ours(file, cache)  # right after it was written, reading the cache waits for the disk
        results["ours", "cached"] = self.ours(file, cache)
        if results["ours", "cached"]["imported"] and self.arguments.settle > 0:
            raise Failed("the cache was not found")
        if self.arguments.peers:
            results["ONNX Runtime", "first"] = self.theirs(self.work / f"{name}.onnx" if kind == "TFLite" else file)
        return results

    def measure(self, name):
        for kind, file in self.files(name).items():
            print(name, kind, file=sys.stderr, flush=True)
            self.ours(file)  # fills the page cache
            time.sleep(self.arguments.settle)  # a cache trusts a file only once its time stamps are old enough
            rounds = [self.round(name, kind, file) for _ in range(self.arguments.rounds)]
            for engine, step in rounds[0]:
                found = [each[engine, step] for each in rounds]
                row = {phase: statistics.median(result[phase] for result in found) for phase in PHASES}
                self.rows.append({"network": name, "file": kind, "engine": engine, "step": step, **row})

    def run(self):
        try:
            for name in self.arguments.network or NETWORKS:
                try:
                    self.measure(name)
                except Failed as failure:
                    self.failures.append(f"{name}: {failure}")
                for file in self.work.glob(f"{name}.*"):
                    file.unlink()
        finally:
            shutil.rmtree(self.work)
        return {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine(), "rounds": self.arguments.rounds,
                "device": self.arguments.device, "peer": version_of_peer(self.arguments.peers) if self.arguments.peers else None,
                "rows": self.rows, "failures": self.failures}


def find(rows, network, file, engine, step):
    return next((row for row in rows if (row["network"], row["file"], row["engine"], row["step"]) == (network, file, engine, step)), None)


def ratios(rows, column, top, bottom):
    """{(network, file): quotient} of two (engine, step) for the files that have both."""
    quotients = {}
    for row in rows:
        name = row["network"], row["file"]
        above, below = find(rows, *name, *top), find(rows, *name, *bottom)
        if above and below and below[column] > 0 and above[column] > 0:
            quotients[name] = above[column] / below[column]
    return quotients


RATIOS = [("first result: ONNX Runtime / ours (above 1: ours is faster)", "total_ms", ("ONNX Runtime", "first"), ("ours", "first")),
          ("first result, CPU time: ONNX Runtime / ours", "cpu_ms", ("ONNX Runtime", "first"), ("ours", "first")),
          ("peak memory: ours / ONNX Runtime", "peak_mb", ("ours", "first"), ("ONNX Runtime", "first")),
          ("steady memory: ours / ONNX Runtime", "steady_mb", ("ours", "first"), ("ONNX Runtime", "first")),
          ("start with a cache / start without", "total_ms", ("ours", "cached"), ("ours", "first")),
          ("start with a cache / the start that saves it", "total_ms", ("ours", "cached"), ("ours", "saving"))]


def ratio_table(rows):
    lines = ["| | geometric mean | least | most |", "| --- | --- | --- | --- |"]
    for title, column, top, bottom in RATIOS:
        found = ratios(rows, column, top, bottom)
        if found:
            least, most = min(found, key=found.get), max(found, key=found.get)
            cell = lambda key: f"{figure(found[key])} ({' '.join(key)})"
            lines.append(f"| {title} | {figure(geometric_mean(found.values()))} | {cell(least)} | {cell(most)} |")
    return lines


def page(results):
    host = results["machine"]
    lines = [f"# {results['date']}: the first result from a model file", "",
             f"`bench/report/cold_files.py`, commit {results['commit']}, device {results['device']}, on {host['cpu']}, {host['cores']} cores, "
             f"{host['memory_gib']} GiB, {host['system']}; load {host['load']:.1f} at the start. Medians of {results['rounds']} rounds, each a "
             "fresh process, files in the page cache. Milliseconds from the start of the process to the first result; CPU time is user and "
             "system time of all threads; memory is resident, at the peak up to then and after the second run."]
    if results["peer"]:
        lines.append(f"{results['peer']} runs in node, whose own time and memory are not counted; its build includes reading.")
    lines += ["", "## Ratios", ""] + ratio_table(results["rows"]) + ["", "## Phases", ""]
    lines += ["| network | file | engine | " + " | ".join(TITLES) + " |", "| --- " * (len(TITLES) + 3) + "|"]
    for row in results["rows"]:
        engine = row["engine"] + ("" if row["step"] == "first" else f", {row['step']}")
        lines.append(f"| {row['network']} | {row['file']} | {engine} | " + " | ".join(figure(row[phase]) for phase in PHASES) + " |")
    lines += [""] + [f"- {failure}" for failure in results["failures"]]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--peers", metavar="NODE_MODULES", help="where onnxruntime-node is installed")
    parser.add_argument("--network", action="append", help="only this one; dense is also a TFLite file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--all-devices", action="store_true", help="with --device cpu: offer GPUs too")
    parser.add_argument("--small", action="store_true", help="networks as tests have them")
    parser.add_argument("--settle", type=float, default=0.3, help="seconds between writing a file and measuring it")
    parser.add_argument("--work", help="folder for model files and caches")
    arguments = parser.parse_args()
    results = ColdFiles(arguments).run()
    output = pathlib.Path(arguments.output)
    output.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
    output.write_text(page(results))


if __name__ == "__main__":
    main()

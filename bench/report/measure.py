#!/usr/bin/env python3
"""Runs the benchmarks on each device and writes a JSON file for report.py.

measure.py BUILD_DIRECTORY OUTPUT.json [--quick] [--driver NAME=MANIFEST]... [--peers NODE_MODULES]
           [--only PART]... [--network NAME]... [--no-cpu] [--add]

Needs NumPy and onnx. Each network runs in its own process, on the CPU device and on each driver's first GPU. With --peers, ONNX Runtime runs the same networks,
alternating with the CPU device round by round. Parts: networks, cold, takeover, kernels,
borders, overhead.
--add updates OUTPUT.json with the new results, to measure in pieces or repeat a part."""
import argparse
import collections
import datetime
import itertools
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from turns import Failed, Turns, onnx_runtime

PARTS = ["networks", "cold", "takeover", "kernels", "borders", "overhead"]
QUICK_NETWORKS = ["squeezenet", "mobilenet_v2", "resnet_18", "bert_layer", "resnet_18_int8"]
# Measured on the CPU only.
LARGE_NETWORKS = ["bert_base", "gpt2_small", "gpt2_small_64", "gpt2_decode", "vit_b16", "efficientnet_v2_s", "densenet_121", "maxvit_t", "mobilevit_s"]
TAKEOVER_NETWORKS = ["mobilenet_v2", "resnet_18", "resnet_50"]
QUICK_KERNELS = "limit|matmul/512|connect/128x768x768|conv/3x3_128|depthwise/3x3_144|elementwise/(relu|add)|norm/softmax_12|move/concat"
ROUND_SECONDS = 0.3
LONGEST = 300  # seconds per program
MODEL_FILES = pathlib.Path(__file__).parents[1] / "models/model_files.py"


def environment(manifest):
    """CPU only without a manifest. Drivers start cold: their disk caches are off."""
    variables = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true", NNRT_LOG="error")
    if manifest is None:
        return dict(variables, NNRT_DEVICES="cpu")
    return dict(variables, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)


def output_of(command, variables):
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise Failed(f"no result in {LONGEST} s")
    if done.returncode != 0:
        raise Failed(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}")
    return done.stdout


def write_models(folder, *arguments):
    return output_of([sys.executable, str(MODEL_FILES), str(folder), *map(str, arguments)], None)


def most_alive(arena):
    """The most bytes of an arena that are in use at one step."""
    changes = collections.Counter()
    for allocation in arena["allocations"]:
        changes[allocation["first"]] += allocation["bytes"]
        changes[allocation["last"] + 1] -= allocation["bytes"]
    return max(itertools.accumulate(changes[step] for step in sorted(changes)), default=0)


def take_turns(runners, rounds):
    """The median over rounds for each. A round takes about ROUND_SECONDS."""
    counts = [max(1, min(200, int(ROUND_SECONDS * 1000 / max(runner.run(1), 1e-3)))) for runner in runners]
    times = [[] for _ in runners]
    for _ in range(rounds):
        for i, runner in enumerate(runners):
            times[i].append(runner.run(counts[i]))
    return [statistics.median(each) for each in times]


class Bench:
    def __init__(self, arguments):
        self.bin = pathlib.Path(arguments.build) / "bin"
        self.quick = arguments.quick
        self.peers = arguments.peers
        self.chosen = arguments.network
        self.devices = ([] if arguments.no_cpu else [("CPU", None)]) + [tuple(driver.split("=", 1)) for driver in arguments.driver]
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="nnrt_bench_"))
        self.results = {"failures": []}
        self.attempted = []

    def program(self, name, *arguments):
        return [str(self.bin / name), *arguments]

    def drivers(self):
        return [(name, manifest) for name, manifest in self.devices if manifest]

    def networks(self):
        names = write_models(self.work, "--list").split()
        return [name for name in names if name in (self.chosen or (QUICK_NETWORKS if self.quick else names))]

    def file_of(self, name):
        """Written when it is first needed."""
        file = self.work / f"{name}.onnx"
        if not file.exists():
            write_models(self.work, name)
        return file

    def attempt(self, what, action):
        print(what, file=sys.stderr, flush=True)
        self.attempted.append(what)
        try:
            return action()
        except Failed as failure:
            print(f"  {failure}", file=sys.stderr)
            self.results["failures"].append(f"{what}: {failure}")
            return None

    def measure_networks(self):
        rows = self.results["networks"] = []
        for name in self.networks():
            for device, manifest in self.devices:
                if manifest and name in LARGE_NETWORKS:
                    continue
                rounds = (3 if manifest else 5) if not self.quick else 2
                if manifest is None and self.peers:
                    found = self.attempt(f"{name} on CPU and ONNX Runtime", lambda: self.beside_peer(name, rounds))
                    if found:
                        rows += [{"network": name, "engine": "ours", "device": device, "ms": found[0]},
                                 {"network": name, "engine": "ONNX Runtime", "device": device, "ms": found[1]}]
                        continue
                milliseconds = self.attempt(f"{name} on {device}", lambda: self.alone(name, manifest, rounds))
                if milliseconds:
                    rows.append({"network": name, "engine": "ours", "device": device, "ms": milliseconds})
            (self.work / f"{name}.onnx").unlink(missing_ok=True)

    def ours(self, name, manifest):
        return Turns(self.program("turns", str(self.file_of(name)), "gpu" if manifest else "cpu"), environment(manifest))

    def alone(self, name, manifest, rounds):
        with self.ours(name, manifest) as ours:
            return take_turns([ours], rounds)[0]

    def beside_peer(self, name, rounds):
        threads = str(os.environ.get("NNRT_THREADS") or os.cpu_count())
        with self.ours(name, None) as ours, onnx_runtime(self.peers, self.file_of(name), threads) as theirs:
            return take_turns([ours, theirs], rounds)

    def cold(self, name, manifest, *arguments):
        """The first inference from the file, with the sizes of all partitions' arenas and the most that lives in them at one step."""
        placement = self.work / "placement.json"
        placement.unlink(missing_ok=True)  # it would be appended to
        line = output_of(self.program("cold_file", str(self.file_of(name)), "gpu" if manifest else "cpu", *arguments),
                         dict(environment(manifest), NNRT_PLACEMENT=str(placement)))
        arenas = [partition["arena"] for partition in json.loads(placement.read_text())["partitions"]]
        return dict(json.loads(line), arena_bytes=sum(arena["bytes"] for arena in arenas), live_bytes=sum(map(most_alive, arenas)))

    def measure_cold(self):
        rows = self.results["cold"] = []
        for name in [name for name in self.networks() if name not in LARGE_NETWORKS]:
            for device, manifest in self.devices:
                cache = tempfile.mkdtemp(dir=self.work)
                steps = [("cold", [])] + [(step, ["--cache", cache]) for step in ("saving", "restoring") if name == "mobilenet_v2"]
                for step, arguments in steps:
                    row = self.attempt(f"{name} on {device}, {step}", lambda: self.cold(name, manifest, *arguments))
                    if row:
                        rows.append(dict(row, network=name, device=device, step=step))
        if "mobilenet_v2" in self.networks():
            self.count_pipelines()

    def measure_takeover(self):
        """Only lavapipe starts with fast-compile shaders."""
        rows = self.results["takeover"] = []
        for device, manifest in [driver for driver in self.drivers() if driver[0] == "lavapipe"]:
            for name in [name for name in self.networks() if name in TAKEOVER_NETWORKS]:
                line = self.attempt(f"{name} on {device}, until optimized shaders take over",
                                    lambda: output_of(self.program("takeover_bench", str(self.file_of(name))), environment(manifest)))
                row = line and json.loads(line)
                if row and row["before"] and row["after"]:
                    rows.append(dict(row, network=name, device=device))

    def count_pipelines(self):
        counts = self.results["pipelines"] = {}
        for device, manifest in self.drivers():
            trace = self.work / "trace.json"
            line = self.attempt(f"pipelines of mobilenet_v2 on {device}", lambda: output_of(
                self.program("cold_file", str(self.file_of("mobilenet_v2")), "gpu"), dict(environment(manifest), NNRT_TRACE=str(trace))))
            if line:
                events = json.loads(trace.read_text())["traceEvents"]
                counts[device] = sum(1 for event in events
                                     if event.get("cat") == "compile" and event["name"].startswith("pipeline "))

    def device_name(self, manifest):
        """The name in benchmarks: the CPU device, or the driver's first GPU."""
        listed = json.loads(output_of(self.program("nnrt", "devices", "--json"), environment(manifest)))
        return next(device["name"] for device in listed if (device["type"] == "cpu") == (manifest is None))

    def google(self, program, filter_, seconds, *arguments):
        rows = []
        for device, manifest in self.devices:
            file, name = self.work / "google.json", self.device_name(manifest)
            literal = re.sub(r"([^\w ,])", r"[\1]", name)
            command = self.program(program, *arguments, f"--benchmark_filter=^({filter_}).*/{literal}",
                                   f"--benchmark_min_time={seconds}", f"--benchmark_out={file}", "--benchmark_out_format=json")
            if self.attempt(f"{program} on {device}", lambda: output_of(command, environment(manifest))) is None:
                continue
            for row in json.loads(file.read_text())["benchmarks"]:
                kept = {key: row[key] for key in ("GFLOP/s", "GB/s", "of_limit", "device_us", "transfers_us", "border_us", "borders") if key in row}
                rows.append({"name": row["name"].split("/" + name)[0], "device": device, "us": row["real_time"], **kept})
        return rows

    def measure_kernels(self):
        write_models(self.work, "operators")
        self.results["kernels"] = self.google("kernels_bench", QUICK_KERNELS if self.quick else "", 0.02 if self.quick else 0.1,
                                              str(self.work / "operators"))

    def measure_borders(self):
        self.results["borders"] = self.google("borders_bench", "", 0.1)

    def measure_overhead(self):
        rows = self.results["overhead"] = []
        for device, manifest in self.devices:
            text = self.attempt(f"overhead_bench on {device}",
                                lambda: output_of(self.program("overhead_bench"), environment(manifest)))
            for line in (text or "").splitlines()[2:]:
                _, owner, what, median, p99, _ = [cell.strip() for cell in line.split("|")]
                if owner.startswith("CPU") == (manifest is None):
                    rows.append({"device": device, "what": what, "median": float(median), "p99": float(p99)})


# Columns that identify a row, by part.
KEYS = {"networks": ("network", "engine", "device"), "cold": ("network", "device", "step"), "takeover": ("network", "device"),
        "kernels": ("name", "device"), "borders": ("name", "device"), "overhead": ("device", "what")}


def added(before, after, attempted):
    """Merges rows: those of `after` replace matching ones in `before`, and `attempted` replaces earlier failures."""
    merged = dict(before, **{key: value for key, value in after.items() if key not in KEYS})
    for part, keys in KEYS.items():
        rows = {tuple(row[key] for key in keys): row for row in before.get(part, []) + after.get(part, [])}
        if rows:
            merged[part] = list(rows.values())
    for key in ("drivers", "pipelines"):
        merged[key] = dict(before.get(key, {}), **after.get(key, {}))
    old = [failure for failure in before.get("failures", []) if not failure.startswith(tuple(f"{what}: " for what in attempted))]
    merged["failures"] = old + after["failures"]
    return merged


def system():
    names = [line.split("=", 1)[1].strip('"') for line in pathlib.Path("/etc/os-release").read_text().splitlines()
             if line.startswith("PRETTY_NAME=")]
    return " ".join([*names, platform.machine()])


def machine():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.processor())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 2**20
    return {"cpu": model, "cores": os.cpu_count(), "memory_gib": round(memory), "system": system(),
            "load": os.getloadavg()[0]}


def commit():
    found = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True,
                           cwd=pathlib.Path(__file__).parent)
    return found.stdout.strip()


def gpus(build, manifest):
    """The driver's GPUs, from `nnrt devices --json`."""
    text = output_of([str(pathlib.Path(build) / "bin/nnrt"), "devices", "--json"], environment(manifest))
    return [device for device in json.loads(text) if device["type"] == "gpu"]


def driver_of(build, manifest):
    """The names of the first GPU and of its driver."""
    first = next(iter(gpus(build, manifest)), None)
    return f"{first['name'].split('_')[0]}, {first['driver']}, Vulkan {first['vulkan']}" if first else "no GPU"


def is_software(build, manifest):
    return any(device["kind"] == "software" for device in gpus(build, manifest)[:1])


def version_of_peer(modules):
    package = pathlib.Path(modules) / "onnxruntime-node/package.json"
    return "ONNX Runtime " + json.loads(package.read_text())["version"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--quick", action="store_true", help="a few networks and kernels, fewer rounds")
    parser.add_argument("--driver", action="append", default=[], metavar="NAME=MANIFEST")
    parser.add_argument("--peers", metavar="NODE_MODULES", help="where onnxruntime-node is installed")
    parser.add_argument("--network", action="append", help="only this one")
    parser.add_argument("--no-cpu", action="store_true", help="drivers only")
    parser.add_argument("--add", action="store_true", help="to what OUTPUT.json has")
    parser.add_argument("--only", action="append", choices=PARTS)
    arguments = parser.parse_args()
    bench = Bench(arguments)
    bench.results.update(date=datetime.date.today().isoformat(), commit=commit(), machine=machine(), quick=arguments.quick,
                         drivers={name: driver_of(arguments.build, manifest) for name, manifest in bench.drivers()})
    if arguments.peers:
        bench.results["peer"] = version_of_peer(arguments.peers)
    try:
        for part in arguments.only or PARTS:
            getattr(bench, "measure_" + part)()
    finally:
        shutil.rmtree(bench.work)
    output, results = pathlib.Path(arguments.output), bench.results
    if arguments.add and output.exists():
        results = added(json.loads(output.read_text()), results, bench.attempted)
    output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

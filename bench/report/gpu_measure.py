"""Measurements for a GPU's report. Each part is a sequence of jobs, whose rows are kept as soon as they are there."""
import functools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
import typing

from gpu_kernels import measured, operators_of
from measure import LONGEST, environment, gpus, output_of, take_turns, write_models
from turns import Failed, Turns

TESTS = pathlib.Path(__file__).parents[2] / "tests"

# Networks in the geometric mean of a goal.
NETWORKS = ["squeezenet", "mobilenet_v2", "mobilenet_v3", "shufflenet_v2", "efficientnet_b0", "resnet_18", "googlenet", "resnet_50", "vgg_16",
            "bert_layer", "vit_b16", "efficientnet_v2_s", "densenet_121", "maxvit_t", "mobilevit_s", "gpt2_small_64"]
BATCHED, BATCHES = ["resnet_50", "mobilenet_v2", "vit_b16"], [8, 32, 128]
FAMILIES = ["matmul/", "connect/", "conv/", "depthwise/", "swish/", "elementwise/", "norm/", "pool/", "move/", "attention/", "recurrent/"]
QUICK = {"networks": ["squeezenet", "bert_layer"], "batches": [8], "batched": ["squeezenet"], "families": ["norm/", "connect/[18]x"],
         "executors": [1, 2], "golden": ["add", "matmul"]}
EXECUTORS = [1, 2, 4, 8]
TYPES = {"fp32": False, "fp16": True}
MATRICES = "+khr_cooperative_matrix,+int8_matrix,+fp16_storage,+fp16_pass"
GOLDEN = {"chosen kernels": ("golden", [], ""), "fp16": ("golden", ["--fp16"], ""), "matrices": ("golden", [], MATRICES),
          "matrices, fp16": ("golden", ["--fp16"], MATRICES),
          "flexible matrices, fp16": ("golden", ["--fp16"], f"{MATRICES},+flexible_matrix"), "regressions": ("regressions", [], "")}
PROCESSES = 4  # of tests, at once


class Job(typing.NamedTuple):
    """`measure` returns the columns of a row, or of several rows, that `names` begins."""
    names: dict
    measure: typing.Callable

    @property
    def key(self):
        return ", ".join(map(str, self.names.values()))

    def rows(self):
        try:
            found = self.measure()
        except (Failed, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as failure:
            found = {"failed": str(failure) if isinstance(failure, Failed) else f"{type(failure).__name__}: {failure}"}
        return [{**self.names, **row} for row in (found if isinstance(found, list) else [found])]


class GpuBench:
    """Measures the first GPU of a driver. `peer` is None, or a TorchPeer."""

    def __init__(self, build, manifest, work, peer=None, quick=False, decoder=None):
        self.bin, self.manifest, self.work, self.peer = pathlib.Path(build) / "bin", manifest, pathlib.Path(work), peer
        self.build, self.quick, self.decoder = pathlib.Path(build), quick, decoder
        self.gpu = gpus(build, manifest)[0]

    def run(self, program, *arguments, **variables):
        return output_of([str(self.bin / program), *map(str, arguments)], dict(environment(self.manifest), **variables))

    def file_of(self, name, *options):
        write_models(self.work, name, *options)
        return self.work / (name.replace("/", "-") + ".onnx")

    def limits(self):
        yield Job({"what": "limits"}, lambda: {key: value for key, value in self.google("limit", False)[0].items()
                                               if key in ("GFLOP/s", "copied GB/s", "read GB/s")})

    def google(self, filter_, fp16, seconds=0.05):
        """Rows of kernels_bench on this GPU."""
        folder = operators_of(self.work, fp16)
        file = self.work / "google.json"
        file.write_text("")
        literal = re.sub(r"([^\w ,])", r"[\1]", self.gpu["name"])
        self.run("kernels_bench", folder, f"--benchmark_filter=^({filter_}).*/{literal}", f"--benchmark_min_time={seconds}", f"--benchmark_out={file}",
                 "--benchmark_out_format=json", *(["--fp16"] if fp16 else []), NNRT_DEVICES="vulkan")
        found = json.loads(file.read_text())["benchmarks"] if file.read_text() else []
        return [dict(row, name=row["name"].split("/" + self.gpu["name"])[0]) for row in found]

    def kernels(self):
        for dtype in TYPES:
            for family in QUICK["families"] if self.quick else FAMILIES:
                yield Job({"name": family, "dtype": dtype}, functools.partial(self.family, family, TYPES[dtype]))

    def family(self, family, fp16):
        kept = ("device_us", "transfers_us", "GFLOP/s", "GB/s", "of_limit")
        return [{"name": row["name"], "us": row["real_time"], **{key: row[key] for key in kept if key in row},
                 **self.kernel_of_peer(row["name"], fp16)} for row in self.google(family, fp16)]

    def kernel_of_peer(self, name, fp16):
        if not self.peer:
            return {}
        try:
            file = self.file_of(name)
            try:
                return {"peer_us": self.peer.kernel(file, fp16)}
            finally:
                file.unlink()
        except Failed as failure:
            return {"peer_failed": str(failure)}

    def networks(self):
        wanted = [(name, 1) for name in (QUICK["networks"] if self.quick else NETWORKS)]
        for batch in QUICK["batches"] if self.quick else BATCHES:
            wanted += [(name, batch) for name in (QUICK["batched"] if self.quick else BATCHED)]
        for name, batch in wanted:
            for dtype in TYPES:
                yield Job({"network": name, "batch": batch, "dtype": dtype}, functools.partial(self.network, name, batch, TYPES[dtype]))

    def network(self, name, batch, fp16):
        rounds = 2 if self.quick else 5
        file = self.file_of(name, "--batch", batch)
        with Turns([str(self.bin / "turns"), str(file), "gpu", *(["--fp16"] if fp16 else [])], environment(self.manifest)) as ours:
            row = {"build_ms": ours.build_ms}
            loaded = self.load_peer(row, file, fp16)
            file.unlink()
            times = take_turns([ours, self.peer] if loaded else [ours], rounds)
            row["ms"] = times[0]
            device = ours.ask("device").split()
            if device != ["none"]:
                row["device_ms"], row["transfers_ms"] = map(float, device)
            if loaded:
                row["peer_ms"] = times[1]
                row["peer_device_ms"] = (self.peer.device() or [None])[0]
        return row

    def load_peer(self, row, file, fp16):
        """Whether the peer loaded the network."""
        if not self.peer:
            return False
        try:
            self.peer.load(file, fp16)
        except Failed as failure:
            row["peer_failed"] = str(failure)
            return False
        return True

    def forced(self):
        rounds, only = (1, "norm/softmax") if self.quick else (3, None)
        yield Job({"title": "Kernels", "filter": "all"}, lambda: measured(self.build, self.manifest, self.work, rounds, only))

    def decode(self):
        for dtype, fp16 in TYPES.items():
            yield Job({"model": self.decoder.name, "dtype": dtype}, functools.partial(self.tokens, fp16))

    def tokens(self, fp16):
        """Per second, token by token."""
        command = [str(self.bin / "nnrt"), "generate", str(self.decoder), "-d", "gpu", "-p", "In the beginning God created the ", "-n", "200",
                   *(["--fp16"] if fp16 else [])]
        found = []
        for _ in range(1 if self.quick else 5):
            done = subprocess.run(command, env=environment(self.manifest), capture_output=True, text=True, timeout=LONGEST)
            found += map(float, re.findall(r"([0-9.]+) tokens a second", done.stderr))
        if not found:
            raise Failed(done.stderr.strip()[-200:] or "no result")
        return {"tokens": statistics.median(found)}

    def overhead(self):
        yield Job({"what": "calls"}, self.calls)

    def calls(self):
        """Microseconds per call on the smallest models, and per bare submission."""
        rows = []
        for line in self.run("overhead_bench").splitlines()[2:]:
            _, owner, what, median, p99, _ = [cell.strip() for cell in line.split("|")]
            if owner == self.gpu["name"]:
                rows.append({"what": what, "median": float(median), "p99": float(p99)})
        return rows

    def executors(self):
        for name in ("mobilenet_v2", "resnet_50") if not self.quick else ("squeezenet",):
            for dtype, fp16 in TYPES.items():
                for count in QUICK["executors"] if self.quick else EXECUTORS:
                    yield Job({"network": name, "dtype": dtype, "executors": count}, functools.partial(self.bench, name, count, ["gpu"], fp16))

    def devices(self):
        """The automatic choice beside each device alone, and a network whose last operation only the CPU has, with one run at a time and with two."""
        for name in ["squeezenet", "detector"] if self.quick else ["squeezenet", "mobilenet_v2", "resnet_50", "bert_layer", "lstm", "detector"]:
            for count in (1, 2):
                yield Job({"network": name, "executors": count}, functools.partial(self.bench, name, count, ["auto", "gpu", "cpu"], False))

    def bench(self, name, executors, devices, fp16):
        """Runs per second on each device, with concurrent executors."""
        file = self.file_of(name)
        try:
            text = self.run("nnrt", "bench", file, "-d", ",".join(devices), "--executors", executors, "--duration", 0.5 if self.quick else 2, "--json",
                            *(["--fp16"] if fp16 else []))
        finally:
            file.unlink()
        return {device: result["runs_per_second"] for device, result in zip(devices, json.loads(text)["results"], strict=True)}

    def golden(self):
        for name, (folder, arguments, kernels) in GOLDEN.items():
            yield Job({"what": f"golden cases, {name}"}, functools.partial(self.cases, folder, arguments, kernels))

    def cases(self, folder, arguments, kernels):
        files = sorted((TESTS / "conformance" / folder).glob("*.jsonl"), key=lambda file: file.stat().st_size)
        if self.quick:
            files = [file for file in files if file.stem in QUICK["golden"]] or files[:1]
        command = [str(self.bin / "conformance_runner"), "--device", "gpu", "--isolate", "worker", *arguments]
        shares = [files[i::PROCESSES] for i in range(PROCESSES)]
        return self.tests([(command + list(map(str, share)), {"NNRT_VULKAN_KERNELS": kernels}) for share in shares if share],
                          {"passed": r"(\d+) passed", "wrong": r"(\d+) failed", "skipped": r"(\d+) skipped"})

    def device_tests(self):
        command = [str(self.bin / "device_tests"), "--gtest_brief=1", *(["--gtest_filter=*Softmax*"] if self.quick else [])]
        shares = [{"GTEST_TOTAL_SHARDS": str(PROCESSES), "GTEST_SHARD_INDEX": str(i)} for i in range(PROCESSES)]
        yield Job({"what": "device tests"}, lambda: self.tests(
            [(command, share) for share in shares],
            {"passed": r"PASSED  \] (\d+) test", "wrong": r"(\d+) FAILED TEST", "skipped": r"SKIPPED \] (\d+) test"}))

    def tests(self, processes, counts):
        """Runs all at once and adds up what they count."""
        started = time.monotonic()
        running = [subprocess.Popen(command, env={**environment(self.manifest), **more}, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                   for command, more in processes]
        try:
            texts = [process.communicate(timeout=LONGEST)[0] for process in running]
        finally:
            for process in running:
                process.kill()
        found = {name: sum(int(text) for output in texts for text in re.findall(pattern, output)) for name, pattern in counts.items()}
        broken = [process.returncode for process in running if process.returncode not in (0, 1)]
        if broken:
            raise Failed(f"exit code {broken[0]}, after {found['passed']} passed")
        return {**found, "seconds": time.monotonic() - started}

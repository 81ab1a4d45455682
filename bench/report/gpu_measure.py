"""Measurements for a GPU's report. Each function returns rows; a failure becomes a row with the reason."""
import json
import pathlib
import re
import statistics
import subprocess
import sys

from gpu_kernels import measured, operators_of
from measure import environment, gpus, output_of, take_turns, write_models
from turns import Failed, Turns

# Networks in the geometric mean of a goal.
NETWORKS = ["squeezenet", "mobilenet_v2", "mobilenet_v3", "shufflenet_v2", "efficientnet_b0", "resnet_18", "googlenet", "resnet_50", "vgg_16",
            "bert_layer", "vit_b16", "efficientnet_v2_s", "densenet_121", "maxvit_t", "mobilevit_s", "gpt2_small_64"]
BATCHED, BATCHES = ["resnet_50", "mobilenet_v2", "vit_b16"], [8, 32, 128]
FAMILIES = ["matmul/", "connect/", "conv/", "depthwise/", "swish/", "elementwise/", "norm/", "pool/", "move/", "attention/", "recurrent/"]
QUICK = {"networks": ["squeezenet", "bert_layer"], "batches": [8], "batched": ["squeezenet"], "families": ["norm/", "connect/[18]x"],
         "executors": [1, 2]}
EXECUTORS = [1, 2, 4, 8]
TYPES = {"fp32": False, "fp16": True}


class GpuBench:
    """Measures the first GPU of a driver. `peer` is None, or a TorchPeer."""

    def __init__(self, build, manifest, work, peer=None, quick=False, decoder=None):
        self.bin, self.manifest, self.work, self.peer = pathlib.Path(build) / "bin", manifest, pathlib.Path(work), peer
        self.build, self.quick, self.decoder = pathlib.Path(build), quick, decoder
        self.gpu = gpus(build, manifest)[0]

    def say(self, what):
        print(what, file=sys.stderr, flush=True)

    def run(self, program, *arguments, **variables):
        return output_of([str(self.bin / program), *map(str, arguments)], dict(environment(self.manifest), **variables))

    def file_of(self, name, *options):
        write_models(self.work, name, *options)
        return self.work / (name.replace("/", "-") + ".onnx")

    def limits(self):
        rows = self.google("limit", False)
        return {key: rows[0][key] for key in ("GFLOP/s", "copied GB/s", "read GB/s")}

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
        rows = []
        for dtype, fp16 in TYPES.items():
            for family in QUICK["families"] if self.quick else FAMILIES:
                self.say(f"{family} {dtype}")
                try:
                    found = self.google(family, fp16)
                except Failed as failure:
                    rows.append({"name": family, "dtype": dtype, "failed": str(failure)})
                    continue
                for row in found:
                    kept = {key: row[key] for key in ("device_us", "transfers_us", "GFLOP/s", "GB/s", "of_limit") if key in row}
                    rows.append({"name": row["name"], "dtype": dtype, "us": row["real_time"], **kept, **self.kernel_of_peer(row["name"], fp16)})
        return rows

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
        return [self.network(name, batch, dtype) for name, batch in wanted for dtype in TYPES]

    def network(self, name, batch, dtype):
        self.say(f"{name}, batch {batch}, {dtype}")
        row = {"network": name, "batch": batch, "dtype": dtype}
        rounds = 2 if self.quick else 5
        options = ["--fp16"] if TYPES[dtype] else []
        try:
            file = self.file_of(name, "--batch", batch)
            with Turns([str(self.bin / "turns"), str(file), "gpu", *options], environment(self.manifest)) as ours:
                row["build_ms"] = ours.build_ms
                loaded = self.load_peer(row, file)
                file.unlink()
                times = take_turns([ours, self.peer] if loaded else [ours], rounds)
                row["ms"] = times[0]
                device = ours.ask("device").split()
                if device != ["none"]:
                    row["device_ms"], row["transfers_ms"] = map(float, device)
                if loaded:
                    row["peer_ms"] = times[1]
                    row["peer_device_ms"] = (self.peer.device() or [None])[0]
        except (Failed, OSError, ValueError, subprocess.TimeoutExpired) as failure:
            row["failed"] = str(failure)
        return row

    def load_peer(self, row, file):
        """Whether the peer loaded the network."""
        if not self.peer:
            return False
        try:
            self.peer.load(file, TYPES[row["dtype"]])
        except Failed as failure:
            row["peer_failed"] = str(failure)
            return False
        return True

    def forced(self):
        return measured(self.build, self.manifest, self.work, 1 if self.quick else 3, "norm/softmax" if self.quick else None)

    def decode(self):
        """Tokens per second of the decoder, token by token."""
        rows = []
        for dtype, fp16 in TYPES.items():
            self.say(f"decoder, {dtype}")
            row = {"model": self.decoder.name, "dtype": dtype}
            command = [str(self.bin / "nnrt"), "generate", str(self.decoder), "-d", "gpu", "-p", "In the beginning God created the ", "-n", "200",
                       *(["--fp16"] if fp16 else [])]
            found = []
            for _ in range(1 if self.quick else 5):
                done = subprocess.run(command, env=environment(self.manifest), capture_output=True, text=True, timeout=300)
                found += map(float, re.findall(r"([0-9.]+) tokens a second", done.stderr))
            rows.append(dict(row, tokens=statistics.median(found)) if found else dict(row, failed=done.stderr.strip()[-200:] or "no result"))
        return rows

    def overhead(self):
        """Microseconds per call on the smallest models, and per bare submission."""
        rows = []
        for line in self.run("overhead_bench").splitlines()[2:]:
            _, owner, what, median, p99, _ = [cell.strip() for cell in line.split("|")]
            if owner == self.gpu["name"]:
                rows.append({"what": what, "median": float(median), "p99": float(p99)})
        return rows

    def executors(self):
        """Runs per second with several concurrent executors."""
        rows = []
        for name in ("mobilenet_v2", "resnet_50") if not self.quick else ("squeezenet",):
            file = self.file_of(name)
            for dtype, fp16 in TYPES.items():
                for count in QUICK["executors"] if self.quick else EXECUTORS:
                    self.say(f"{name}, {dtype}, {count} executors")
                    row = {"network": name, "dtype": dtype, "executors": count}
                    try:
                        text = self.run("nnrt", "bench", file, "-d", "gpu", "--executors", count, "--duration", 0.5 if self.quick else 2, "--json",
                                        *(["--fp16"] if fp16 else []))
                        rows.append(dict(row, runs_per_second=json.loads(text)["results"][0]["runs_per_second"]))
                    except (Failed, KeyError, IndexError) as failure:
                        rows.append(dict(row, failed=str(failure)))
            file.unlink()
        return rows

#!/usr/bin/env python3
"""Reports of small synthetic runs. Usage: report_test.py REPORT_DIRECTORY"""
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

REPORT = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPORT))
import ablation  # noqa: E402
import gpu_bench  # noqa: E402
import gpu_kernels  # noqa: E402
import gpu_measure  # noqa: E402
import gpu_page  # noqa: E402
import measure  # noqa: E402
import networks  # noqa: E402
import report  # noqa: E402
import tails  # noqa: E402
import turns  # noqa: E402


def network(name, engine, device, ms):
    return {"network": name, "engine": engine, "device": device, "ms": ms}


def cold(device, **changes):
    row = {"network": "mobilenet_v2", "device": device, "step": "cold", "start_ms": 1.0, "import_ms": 2.0, "build_ms": 3.0,
           "run_ms": 4.0, "total_ms": 400.0, "second_run_ms": 1.0, "peak_mb": 70.0, "arena_bytes": 2100.0,
           "live_bytes": 2000.0}
    return dict(row, **changes)


def overhead(what, median):
    return {"device": "lavapipe", "what": what, "median": median, "p99": 2 * median}


RESULTS = {
    "date": "2026-11-22", "commit": "abc", "quick": True, "peer": "ONNX Runtime 1.30.0", "failures": ["lstm on lavapipe: no result"],
    "machine": {"cpu": "a processor", "cores": 2, "memory_gib": 24, "system": "Linux", "load": 0.5},
    "drivers": {"lavapipe": "llvmpipe 22", "SwiftShader": "SwiftShader 5"},
    "networks": [network("mobilenet_v2", "ours", "CPU", 2.2), network("mobilenet_v2", "ONNX Runtime", "CPU", 2.0),
                 network("resnet_18", "ours", "CPU", 8.0), network("resnet_18", "ONNX Runtime", "CPU", 10.0),
                 network("resnet_18_int8", "ours", "CPU", 9.0), network("resnet_18_int8", "ONNX Runtime", "CPU", 6.0),
                 network("mobilenet_v2", "ours", "lavapipe", 17.5), network("resnet_18", "ours", "lavapipe", 177.0),
                 network("mobilenet_v2", "ours", "SwiftShader", 397.0), network("lstm", "ours", "lavapipe", 3.0)],
    "cold": [cold("lavapipe"), cold("SwiftShader", total_ms=1600.0, peak_mb=90.0),
             cold("CPU", step="saving", arena_bytes=3000.0)],
    "takeover": [{"network": "mobilenet_v2", "device": "lavapipe", "first_inference_ms": 250.0, "taken_over_ms": 900.0,
                  "before": {"runs": 9, "median_ms": 60.0, "max_ms": 90.0}, "after": {"runs": 50, "median_ms": 30.0, "max_ms": 40.0}}],
    "kernels": [{"name": "limit", "device": "lavapipe", "us": 1.0, "GFLOP/s": 120.0, "GB/s": 40.0},
                {"name": "matmul/512x512x512", "device": "lavapipe", "us": 3.0, "GFLOP/s": 80.0, "GB/s": 1.0, "of_limit": 0.67},
                {"name": "elementwise/relu", "device": "lavapipe", "us": 3.0, "GFLOP/s": 0.0, "GB/s": 20.0, "of_limit": 0.5}],
    "borders": [{"name": "border/256KiB/4", "device": "lavapipe", "us": 900.0, "border_us": 60.0, "borders": 7}],
    "overhead": [overhead("bare fill and wait", 60.0), overhead("RunSync, FLATTEN [1, 4]", 75.0),
                 overhead("Executor_Construct and Destroy, ADD [4]", 0.3)],
    "pipelines": {"lavapipe": 41},
}


class Pieces(unittest.TestCase):
    def test_what_is_measured_again_is_replaced(self):
        again = {"failures": [], "drivers": {"GPU": "a GPU"}, "networks": [network("resnet_18", "ours", "CPU", 7.0),
                                                                          network("lstm", "ours", "CPU", 1.0)]}
        before = dict(RESULTS, failures=["lstm on CPU: no result", "lstm on lavapipe: no result"])
        merged = measure.added(before, again, ["lstm on CPU"])
        self.assertEqual(merged["failures"], ["lstm on lavapipe: no result"])
        self.assertEqual(len(merged["networks"]), len(RESULTS["networks"]) + 1)
        self.assertEqual(report.milliseconds(merged, "ours", "CPU")["resnet_18"], 7.0)
        self.assertEqual(list(merged["drivers"]), ["lavapipe", "SwiftShader", "GPU"])
        self.assertEqual(merged["cold"], RESULTS["cold"])


class Arena(unittest.TestCase):
    def test_the_most_that_is_alive_at_one_step(self):
        allocations = [{"first": 0, "last": 1, "bytes": 10}, {"first": 1, "last": 2, "bytes": 5}, {"first": 2, "last": 3, "bytes": 8}]
        self.assertEqual(measure.most_alive({"allocations": allocations}), 15)
        self.assertEqual(measure.most_alive({"allocations": []}), 0)


class Page(unittest.TestCase):
    def test_page(self):
        with tempfile.TemporaryDirectory() as directory:
            source, page = pathlib.Path(directory, "run.json"), pathlib.Path(directory, "page.md")
            source.write_text(json.dumps(RESULTS))
            subprocess.run([sys.executable, REPORT / "report.py", source, page], check=True)
            written = page.read_text()
        self.assertIn("| mobilenet_v2 | 2.2 | 2 | 1.1 | 17.5 | 397 |", written)
        self.assertIn("| geometric mean |  |  | 0.938; int8 1.5 |", written)
        self.assertIn("| of its time | lavapipe |", written)
        self.assertIn("| elementwise/relu | 20 GB/s, 50 % |", written)
        self.assertIn("- lstm on lavapipe: no result", written)
        for line in written.splitlines():
            if line.startswith("|"):
                self.assertTrue(line.endswith("|"), line)


class GpuKernels(unittest.TestCase):
    def setUp(self):
        self.times, gpu_kernels.times = gpu_kernels.times, self.made_up

    def tearDown(self):
        gpu_kernels.times = self.times

    def made_up(self, build, manifest, work, part, kernels, seconds):
        self.rounds = getattr(self, "rounds", 0) + 1
        return {"norm/softmax_1x1000": {"+old": 60.0, "+new": 4.0}[kernels] + 1.0 / self.rounds}

    def test_the_shortest_time_of_each_way_counts(self):
        part = gpu_kernels.Part("Rows", "norm", {"old": "+old", "new": "+new"})
        found = gpu_kernels.in_turns(None, None, None, part, 2)
        self.assertEqual(found, {"norm/softmax_1x1000": {"old": 60 + 1 / 3, "new": 4.25}})
        self.assertEqual(self.rounds, 4)

    def test_every_way_has_a_row_and_names_of_kernels(self):
        for part in gpu_kernels.PARTS:
            self.assertGreater(len(part.ways), 1, part.filter)
            for kernels in part.ways.values():
                self.assertRegex(kernels, r"^([+-]\w+(,[+-]\w+)*)?$")

    def test_operators_that_a_way_cannot_run_stay_empty(self):
        lines = gpu_kernels.part_lines({"title": "Rows", "filter": "norm", "ways": ["old", "new"], "fp16": False,
                                        "us": {"norm/a": {"old": 60.0, "new": 6.0}, "norm/b": {"old": 5.0}}}, {"norm/a": 3.0})
        self.assertIn("| norm/a | 60 | 6 | 0.1 | 3 |", lines)
        self.assertIn("| norm/b | 5 |  |  |  |", lines)


def gpu_network(name, batch, dtype, ms, peer_ms, **more):
    return dict({"network": name, "batch": batch, "dtype": dtype, "ms": ms, "peer_ms": peer_ms, "device_ms": ms / 2, "transfers_ms": ms / 4,
                 "peer_device_ms": peer_ms / 2, "build_ms": 200.0}, **more)


def gpu_kernel(name, dtype, us, peer_us):
    return {"name": name, "dtype": dtype, "us": 2 * us, "device_us": us, "transfers_us": us / 2, "GFLOP/s": 10.0, "GB/s": 1.0, "of_limit": 0.5,
            "peer_us": peer_us}


GPU = {
    "date": "2026-11-24", "commit": "abc", "quick": False, "driver": "a GPU", "peer": "PyTorch 2, CUDA 12, a GPU", "machine": RESULTS["machine"],
}
GPU_ROWS = {
    "limits": [{"GFLOP/s": 60000.0, "copied GB/s": 2800.0, "read GB/s": 3000.0}],
    "golden": [{"what": "golden cases", "passed": 3900, "wrong": 1, "skipped": 2, "seconds": 31.2}],
    "devices": [{"network": "detector", "executors": 2, "auto": 210.0, "gpu": 200.0, "cpu": 90.0}],
    "executors": [{"network": "resnet_50", "dtype": "fp32", "executors": 2, "failed": "no result in 300 s"}],
    "networks": [gpu_network(name, 1, "fp32", 2.0, 4.0) for name in gpu_measure.NETWORKS] +
                [gpu_network("resnet_50", 1, "fp16", 3.0, 1.0), gpu_network("resnet_50", 128, "fp16", 15.0, 10.0),
                 {"network": "vit_b16", "batch": 32, "dtype": "fp16", "failed": "OH_NNCompilation_Build fails."}],
    "kernels": [gpu_kernel("matmul/4096x4096x4096", "fp32", 2000.0, 1800.0), gpu_kernel("norm/softmax_1x1000", "fp16", 5.0, 4.0),
                {"name": "move/", "dtype": "fp16", "failed": "exit code 1"}],
    "forced": [{"title": "Rows", "filter": "norm", "ways": ["old", "new"], "fp16": True, "us": {"norm/softmax_1x1000": {"old": 60.0, "new": 6.0}}}],
    "decode": [{"model": "decode.onnx", "dtype": "fp32", "tokens": 2100.0}, {"model": "decode.onnx", "dtype": "fp16", "failed": "no result"}],
    "overhead": [{"what": "bare submit and wait", "median": 30.0, "p99": 40.0}, {"what": "RunSync, RELU [1]", "median": 42.0, "p99": 60.0}],
}
GPU["parts"] = {part: {str(i): [row] for i, row in enumerate(rows)} for part, rows in GPU_ROWS.items()}
HEADING = {key: GPU[key] for key in ("date", "commit", "quick", "driver", "machine")}


class GpuJobs:
    """Two measurements, of which the first fails once."""
    measured = 0

    def overhead(self):
        yield gpu_measure.Job({"what": "first"}, self.first)
        yield gpu_measure.Job({"what": "second"}, lambda: [{"median": 1.0, "p99": 2.0}])

    def first(self):
        self.measured += 1
        if self.measured == 1:
            raise measure.Failed("no result in 300 s")
        return {"median": 3.0, "p99": 4.0}


class GpuPage(unittest.TestCase):
    def test_page(self):
        written = gpu_page.page(GPU)
        self.assertIn("| resnet_50 | 2 | 1 | 0.5 | 4 | 2 | 0.5 | 3 | 1.5 | 0.75 | 1 | 0.5 | 3 |", written)
        self.assertIn("| matmul/4096x4096x4096 | 2000 | 1000 | 4000 | 10 | 1 | 50 % | 1800 | 0.9 |", written)
        self.assertIn("| norm/softmax_1x1000 | 60 | 6 | 0.1 | 4 |", written)
        self.assertIn("| golden cases | 3900 | 1 | 2 | 31.2 |", written)
        self.assertIn("| detector | 2 | 210 | 200 | 90 |", written)
        for failure in ("- vit_b16, batch 32, fp16: OH_NNCompilation_Build fails.", "- move/, fp16: exit code 1", "- decode.onnx, fp16: no result",
                        "- resnet_50, fp32, 2 executors: no result in 300 s"):
            self.assertIn(failure, written)
        for line in written.splitlines():
            if line.startswith("|"):
                self.assertTrue(line.endswith("|"), line)

    def test_a_page_of_nothing(self):
        written = gpu_page.page(HEADING | {"parts": {}, "peer_failed": "None."})
        self.assertIn("Without a peer: None.", written)

    def test_a_measurement_that_fails_is_repeated_and_leaves_the_others(self):
        results, jobs = dict(HEADING), GpuJobs()
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stderr(io.StringIO()):
            output = pathlib.Path(directory, "gpu.md")
            gpu_bench.measure(jobs, ["overhead"], results, output)
            self.assertIn("- first: no result in 300 s", output.read_text())
            self.assertIn("| second | 1 | 2 |", output.read_text())
            kept = json.loads(output.with_suffix(".json").read_text())
            kept["parts"]["overhead"]["second"][0]["median"] = 7.0
            gpu_bench.measure(jobs, ["overhead"], kept, output)
            self.assertIn("| first | 3 | 4 |", output.read_text())
            self.assertIn("| second | 7 | 2 |", output.read_text())

    def test_nothing_starts_after_its_time(self):
        results, jobs = dict(HEADING), GpuJobs()
        with tempfile.TemporaryDirectory() as directory:
            output = pathlib.Path(directory, "gpu.md")
            gpu_bench.measure(jobs, ["overhead"], results, output, until=0)
            self.assertIn("2 measurements are left.", output.read_text())
        self.assertEqual(jobs.measured, 0)

    def test_counts_of_all_processes_are_added(self):
        bench = gpu_measure.GpuBench.__new__(gpu_measure.GpuBench)
        bench.manifest = None
        say = [(["sh", "-c", f"echo '{count} passed, 1 failed'; exit 1"], {}) for count in (3, 4)]
        found = bench.tests(say, {"passed": r"(\d+) passed", "wrong": r"(\d+) failed"})
        self.assertEqual((found["passed"], found["wrong"]), (7, 2))
        with self.assertRaisesRegex(measure.Failed, "exit code 3, after 7 passed"):
            bench.tests([*say, (["sh", "-c", "exit 3"], {})], {"passed": r"(\d+) passed"})


class Tails(unittest.TestCase):
    class Engine(turns.Turns):
        """The first run of a burst takes 99 ms."""
        asked = 0

        def __init__(self):
            pass

        def run(self, _):
            return 150.0  # two runs a burst

        def ask(self, line):
            runs = int(line.removeprefix("times "))
            self.asked += runs
            return " ".join(["99"] + ["1.5"] * (runs - 1))

    def test_percentiles_are_values(self):
        values = [float(i) for i in range(200, 0, -1)]
        self.assertEqual([tails.percentile(values, part) for part in (0.01, 0.5, 0.99, 1)], [2, 100, 198, 200])
        self.assertEqual(tails.percentile([3.0], 0.99), 3)

    def test_does_not_count_the_first_run_of_a_burst(self):
        engines = [self.Engine(), self.Engine()]
        tails.PAUSE = 0
        self.assertEqual(tails.measure(engines, 4), [[1.5] * 4] * 2)
        self.assertEqual(engines[0].asked, 6)

    def test_rows_have_ratios_and_growth(self):
        rows = tails.rows_of("net", 2, "core 1", [[2.0, 4.0, 6.0], [10.0] * 3], [2.0, 5.0])
        self.assertEqual(rows, ["| net | 2 | core 1 | ours | 4 | 6 | 1.50 | 2.00 |", "| net | 2 | core 1 | ONNX Runtime | 10 | 10 | 1.00 | 2.00 |"])
        self.assertTrue(tails.rows_of("net", 1, "none", [[1.0]], [1.0])[0].endswith("| 1.00 |  |"))

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_a_spin_takes_the_time_that_is_given(self):
        script = pathlib.Path(tails.__file__).parents[1] / "peers/spin.js"
        for threads in ("1", "2"):
            spin = turns.Turns(["node", str(script), "2", threads], dict(os.environ))
            times = [float(word) for word in spin.ask("times 20").split()]
            spin.close()
            self.assertEqual(len(times), 20)
            self.assertGreater(max(times), 0.5)


class EnginesSettle(unittest.TestCase):
    ENGINE = """
import sys, time
print("ready", flush=True)
for line in sys.stdin:
    print(2.5, flush=True)
    end = time.monotonic() + float(line)
    while time.monotonic() < end:
        pass
"""

    def test_an_answer_is_returned_once_the_process_sleeps(self):
        with turns.Turns([sys.executable, "-c", self.ENGINE], None) as engine:
            start = time.monotonic()
            self.assertEqual(engine.run(0.2), 2.5)
            self.assertGreaterEqual(time.monotonic() - start, 0.19)

    def test_waiting_has_an_end(self):
        with turns.Turns([sys.executable, "-c", self.ENGINE], None) as engine:
            engine.process.stdin.write("0.5\n")
            engine.process.stdin.flush()
            engine.process.stdout.readline()
            start = time.monotonic()
            engine.settle(patience=0.05)
            self.assertLess(time.monotonic() - start, 0.4)


class Engine(turns.Turns):
    """Takes these times in turn, in milliseconds, and notes the number of runs."""

    def __init__(self, *times):
        self.times, self.counts = list(times), []

    def run(self, count):
        self.counts.append(count)
        return self.times[min(len(self.counts), len(self.times)) - 1]


class Ablation(unittest.TestCase):
    def test_switches_are_sorted_by_their_best_gain(self):
        rows = [{"target": "cpu", "model": model, "switch": switch, "run": [1.0, without], "build": [2.0, 2.0]}
                for model, switch, without in (("a", "small", 1.01), ("b", "small", 1.02), ("a", "large", 3.0))]
        rows.append({"target": "cpu", "model": "b", "switch": "large", "failed": "it ended"})
        self.assertEqual([line.split(" | ")[1:5] for line in ablation.page(rows).splitlines()[2:]],
                         [["large", "1", "3.00", "a"], ["small", "2", "1.02", "b"]])


class NetworksInTurns(unittest.TestCase):
    def test_a_round_takes_the_same_time_for_each_engine(self):
        fast, slow = Engine(1, 1, 1, 3, 2), Engine(50, 50, 60, 40, 50)
        self.assertEqual(networks.medians([fast, slow], 3, 0.2), [2, 50])
        self.assertEqual(fast.counts, [1, 1, 200, 200, 200])
        self.assertEqual(slow.counts, [1, 1, 4, 4, 4])

    def test_the_table_has_ratios_and_their_mean(self):
        rows = [{"network": "a", "threads": 1, "ms": [3, 2, 4]}, {"network": "b", "threads": 2, "ms": [3, 2, 1]}]
        lines = networks.table(rows, [pathlib.Path("was"), pathlib.Path("build")], ["ONNX Runtime"])
        self.assertEqual(lines[0], "| network | threads | was | build | ONNX Runtime | ratio |")
        self.assertEqual(lines[2:], ["| a | 1 | 3 | 2 | 4 | 2.00 |", "| b | 2 | 3 | 2 | 1 | 0.50 |", "| geometric mean | | | | | 1.00 |"])

    def test_each_peer_has_ratios(self):
        rows = [{"network": "a", "threads": 1, "ms": [2, 4, 1]}]
        self.assertEqual(networks.table(rows, [pathlib.Path("build")], ["A", "B"])[2:],
                         ["| a | 1 | 2 | 4 | 2.00 | 1 | 0.50 |", "| geometric mean | | | | 2.00 | | 0.50 |"])

    def test_without_a_peer_there_are_no_ratios(self):
        rows = [{"network": "a", "threads": 1, "ms": [3, 2]}]
        self.assertEqual(networks.table(rows, [pathlib.Path("was"), pathlib.Path("build")], [])[2:], ["| a | 1 | 3 | 2 |"])


if __name__ == "__main__":
    unittest.main()

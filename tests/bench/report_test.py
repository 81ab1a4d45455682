#!/usr/bin/env python3
"""The report of a small, made-up run: the goals' answers, the ratios of the table, a chart that is XML. Usage: report_test.py REPORT_DIRECTORY"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

REPORT = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPORT))
import goals  # noqa: E402
import gpu_kernels  # noqa: E402
import measure  # noqa: E402

PEERS = json.loads((REPORT / "peers.json").read_text())


def network(name, engine, device, ms):
    return {"network": name, "engine": engine, "device": device, "ms": ms}


def cold(device, **changes):
    row = {"network": "mobilenet_v2", "device": device, "step": "cold", "open_ms": 1.0, "compose_ms": 2.0, "build_ms": 3.0,
           "first_run_ms": 4.0, "first_inference_ms": 400.0, "second_run_ms": 1.0, "peak_rss_mb": 70.0, "arena_bytes": 2100.0,
           "live_bytes": 2000.0}
    return dict(row, **changes)


def overhead(what, median):
    return {"device": "lavapipe", "what": what, "median": median, "p99": 2 * median}


RESULTS = {
    "date": "2026-11-22", "commit": "abc", "quick": True, "peer": "ONNX Runtime 1.30.0", "failures": ["lstm on lavapipe: no result"],
    "machine": {"cpu": "a processor", "cores": 2, "memory_gib": 24, "system": "Linux", "load": 0.5},
    "drivers": {"lavapipe": "llvmpipe 22", "SwiftShader": "SwiftShader 5"},
    "networks": [network("mobilenet_v2", "ours", "CPU", 2.2), network("mobilenet_v2", "ONNX Runtime", "CPU", 2.0),
                 network("mobilenet_v2", "oneDNN", "CPU", 1.9), network("resnet_18", "ours", "CPU", 8.0), network("resnet_18", "ONNX Runtime", "CPU", 10.0),
                 network("resnet_18_int8", "ours", "CPU", 9.0), network("resnet_18_int8", "ONNX Runtime", "CPU", 6.0),
                 network("mobilenet_v2", "ours", "lavapipe", 17.5), network("resnet_18", "ours", "lavapipe", 177.0),
                 network("mobilenet_v2", "ours", "SwiftShader", 397.0), network("lstm", "ours", "lavapipe", 3.0)],
    "cold": [cold("lavapipe"), cold("SwiftShader", first_inference_ms=1600.0, peak_rss_mb=90.0),
             cold("CPU", step="saving", arena_bytes=3000.0)],
    "kernels": [{"name": "limit", "device": "lavapipe", "us": 1.0, "GFLOP/s": 120.0, "GB/s": 40.0},
                {"name": "matmul/512x512x512", "device": "lavapipe", "us": 3.0, "GFLOP/s": 80.0, "GB/s": 1.0, "of_limit": 0.67},
                {"name": "elementwise/relu", "device": "lavapipe", "us": 3.0, "GFLOP/s": 0.0, "GB/s": 20.0, "of_limit": 0.5}],
    "borders": [{"name": "border/256KiB/4", "device": "lavapipe", "us": 900.0, "border_us": 60.0, "borders": 7}],
    "overhead": [overhead("bare fill and wait", 60.0), overhead("RunSync, FLATTEN [1, 4]", 75.0),
                 overhead("Executor_Construct and Destroy, ADD [4]", 0.3)],
    "pipelines": {"lavapipe": 41},
}


class Goals(unittest.TestCase):
    def reached(self, start):
        return [(text, reached) for what, _, text, reached in goals.goals(RESULTS, PEERS) if what.startswith(start)]

    def test_networks_are_held_against_the_better_peer(self):
        # 70 ms and 177 ms: four times and once as fast.
        self.assertEqual(self.reached("lavapipe, networks"), [("2.00 times (2 networks)", True)])
        self.assertEqual(self.reached("SwiftShader, networks"), [("1.00 times (1 networks)", False)])

    def test_published_figures_are_of_another_machine(self):
        # ONNX Runtime took 2 ms and 10 ms here, 1.9 ms and 8.1 ms there.
        self.assertAlmostEqual(goals.slower_machine(RESULTS, PEERS), (2 / 1.9 * 10 / 8.1) ** 0.5)
        self.assertEqual(self.reached("lavapipe, the same"), [("2.28 times", True)])
        self.assertIsNone(goals.slower_machine(dict(RESULTS, networks=[]), PEERS))

    def test_the_cpu_is_held_against_the_same_run(self):
        self.assertEqual(self.reached("CPU device"), [("0.94 times (2 networks)", True), ("1.50 times (1 networks)", False)])

    def test_first_inference_and_memory(self):
        self.assertEqual(self.reached("lavapipe, first inference"), [("400 ms", True)])
        self.assertEqual(self.reached("SwiftShader, first inference"), [("1600 ms", False)])
        self.assertEqual(self.reached("Peak memory"), [("90 MB", False)])
        self.assertEqual(self.reached("Arena"), [("1.50 times", False)])

    def test_operators_and_overhead(self):
        self.assertEqual(self.reached("lavapipe, GEMM"), [("80.0 GFLOP/s", True)])
        self.assertEqual(self.reached("lavapipe, RunSync"), [("15.0 us", True)])
        self.assertEqual(self.reached("Executor_Construct"), [("0.3 us", True)])
        self.assertEqual(self.reached("lavapipe, pipelines"), [("41", False)])

    def test_what_was_not_measured_is_not_judged(self):
        self.assertEqual(self.reached("SwiftShader, GEMM"), [("not measured", None)])


class Pieces(unittest.TestCase):
    def test_what_is_measured_again_is_replaced(self):
        again = {"failures": [], "drivers": {"GPU": "a GPU"}, "networks": [network("resnet_18", "ours", "CPU", 7.0),
                                                                          network("lstm", "ours", "CPU", 1.0)]}
        before = dict(RESULTS, failures=["lstm on CPU: no result", "lstm on lavapipe: no result"])
        merged = measure.added(before, again, ["lstm on CPU"])
        self.assertEqual(merged["failures"], ["lstm on lavapipe: no result"])
        self.assertEqual(len(merged["networks"]), len(RESULTS["networks"]) + 1)
        self.assertEqual(goals.milliseconds(merged, "ours", "CPU")["resnet_18"], 7.0)
        self.assertEqual(list(merged["drivers"]), ["lavapipe", "SwiftShader", "GPU"])
        self.assertEqual(merged["cold"], RESULTS["cold"])


class Page(unittest.TestCase):
    def test_page_and_chart(self):
        with tempfile.TemporaryDirectory() as directory:
            source, page = pathlib.Path(directory, "run.json"), pathlib.Path(directory, "page.md")
            source.write_text(json.dumps(RESULTS))
            subprocess.run([sys.executable, REPORT / "report.py", source, page], check=True)
            written = page.read_text()
            chart = xml.parse(page.with_suffix(".svg")).getroot()
        self.assertIn("| mobilenet_v2 | 2.2 | 2 | 1.1 | 1.9 | 17.5 | 70 (ncnn) | 4 | 397 | 397 (ncnn) | 1 |", written)
        self.assertIn("| elementwise/relu | 20 GB/s, 50 % |", written)
        self.assertIn("- lstm on lavapipe: no result", written)
        self.assertIn("](page.svg)", written)
        for line in written.splitlines():
            if line.startswith("|"):
                self.assertTrue(line.endswith("|"), line)
        names = [element.text for element in chart.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(names.count("mobilenet_v2"), 3)


class GpuKernels(unittest.TestCase):
    def setUp(self):
        self.times, gpu_kernels.times = gpu_kernels.times, self.made_up

    def tearDown(self):
        gpu_kernels.times = self.times

    def made_up(self, build, manifest, filter_, kernels, seconds):
        self.rounds = getattr(self, "rounds", 0) + 1
        return {"norm/softmax_1x1000": {"+old": 60.0, "+new": 4.0}[kernels] + 1.0 / self.rounds}

    def test_the_shortest_time_of_each_way_counts(self):
        ways = {"old": "+old", "new": "+new"}
        found = gpu_kernels.in_turns(None, None, "norm", ways, 2)
        self.assertEqual(found, {"norm/softmax_1x1000": {"old": 60 + 1 / 3, "new": 4.25}})
        self.assertEqual(self.rounds, 4)

    def test_every_way_has_a_row_and_names_of_kernels(self):
        for _, filter_, ways in gpu_kernels.PARTS:
            self.assertGreater(len(ways), 1, filter_)
            for kernels in ways.values():
                self.assertRegex(kernels, r"^([+-]\w+(,[+-]\w+)*)?$")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""First results from model files: cold_files_test.py BUILD_DIRECTORY BENCH_DIRECTORY. Measures small networks once, and checks the page."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD, BENCH = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
REPORT = BENCH / "report"
if importlib.util.find_spec("onnx") is None:
    print("Skipped: onnx is not installed.")
    sys.exit(0)
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPORT))
import cold_files  # noqa: E402


def row(engine, step, **values):
    return dict({phase: 1.0 for phase in cold_files.PHASES}, network="n", file="ONNX", engine=engine, step=step, **values)


class ColdFiles(unittest.TestCase):
    def test_measures_every_file_and_step(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "files.md")
            subprocess.run([sys.executable, str(REPORT / "cold_files.py"), BUILD, str(output), "--small", "--rounds", "1", "--settle", "0",
                            "--network", "squeezenet", "--network", "dense", "--work", folder], check=True)
            results = json.loads(output.with_suffix(".json").read_text())
            self.assertEqual(results["failures"], [])
            measured = {(each["network"], each["file"], each["step"]) for each in results["rows"]}
            files = [("squeezenet", "ONNX"), ("squeezenet", "external"), ("dense", "ONNX"), ("dense", "external"), ("dense", "TFLite")]
            self.assertEqual(measured, {(*file, step) for file in files for step in ("first", "saving", "cached")})
            for each in results["rows"]:
                phases = sum(each[phase] for phase in ("start_ms", "import_ms", "build_ms", "run_ms"))
                self.assertAlmostEqual(phases, each["total_ms"], places=3)
                self.assertGreater(each["steady_mb"], 0)
                self.assertGreaterEqual(each["peak_mb"], 1)
            self.assertIn("start with a cache / start without", output.read_text())
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir() if path.is_dir()], [])  # no models left

    def test_all_files_of_a_network_compute_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, BENCH / "models/model_files.py", folder, "dense", "squeezenet", "--small", "--external"], check=True)
            for kinds in (("dense.onnx", "dense.external.onnx", "dense.tflite"), ("squeezenet.onnx", "squeezenet.external.onnx")):
                outputs = []
                for kind in kinds:
                    archive = pathlib.Path(folder, "out.npz")
                    subprocess.run([f"{BUILD}/bin/nnrt", "run", f"{folder}/{kind}", "-d", "cpu", "--input", "random:1", "--output", str(archive)],
                                   check=True, capture_output=True)
                    with zipfile.ZipFile(archive) as file:
                        outputs.append([file.read(name) for name in file.namelist()])
                self.assertEqual(outputs, outputs[:1] * len(outputs))

    def test_ratios_are_of_the_same_file(self):
        rows = [row("ours", "first", total_ms=10.0), row("ONNX Runtime", "first", total_ms=40.0),
                dict(row("ONNX Runtime", "first", total_ms=1.0), file="TFLite"), row("ours", "cached", total_ms=2.0)]
        speed = cold_files.ratios(rows, "total_ms", ("ONNX Runtime", "first"), ("ours", "first"))
        self.assertEqual(speed, {("n", "ONNX"): 4.0})
        self.assertEqual(cold_files.ratios(rows, "total_ms", ("ours", "cached"), ("ours", "first")), {("n", "ONNX"): 0.2})
        self.assertAlmostEqual(cold_files.geometric_mean([2.0, 8.0]), 4.0)


if __name__ == "__main__":
    unittest.main()

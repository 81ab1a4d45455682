#!/usr/bin/env python3
"""Single operations that sweep.py measures: sweep_test.py NNRT REPORT_DIRECTORY. One operation of each family runs on the CPU device."""
import functools
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

if importlib.util.find_spec("onnx") is None:
    print("Skipped: onnx is not installed.")
    sys.exit(0)

NNRT, REPORT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPORT))
import sweep  # noqa: E402
import sweep_cases  # noqa: E402
from sweep_cases import cases  # noqa: E402


class Sweep(unittest.TestCase):
    def test_names_are_unique(self):
        names = [name for name, _ in cases()]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 600)

    def test_an_operation_of_each_family_runs(self):
        families = {}
        for name, model in cases():
            families.setdefault(name.rsplit("/", 1)[0], model)
        small = functools.partial(sweep_cases.layers, width=256, inner=512)  # else the weights are 256 MB
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(sweep_cases, "layers", small):
            file = pathlib.Path(folder, "operation.onnx")
            for family, model in families.items():
                file.write_bytes(model())
                done = subprocess.run([NNRT, "run", str(file), "-d", "cpu", "--no-fallback", "--input", "random:1", "--output", folder],
                                      capture_output=True, text=True, env=dict(os.environ, NNRT_DEVICES="cpu"))
                self.assertEqual(done.returncode, 0, f"{family}: {done.stderr}")

    def test_summarizes_by_geometric_means(self):
        rows = [{"name": "a/b/1", "ratio": 0.5}, {"name": "a/b/2", "ratio": 2.0}, {"name": "c/d/1", "ratio": 4.0}]
        self.assertEqual([line.split() for line in sweep.summary(rows)],
                         [["a/b", "2", "1.00"], ["c/d", "1", "4.00"], ["all", "3", "1.59"]])
        self.assertEqual(sweep.summary([]), [])


if __name__ == "__main__":
    unittest.main()

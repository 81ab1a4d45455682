"""Helpers of the tests of nnrt.batch."""

import os
import re
import subprocess
import sys
import time

import numpy

from model_files import DEVICE, ModelTest


def pids_with(text):
    """Processes whose environment has this text."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                is_found = text.encode() in file.read()
            with open(f"/proc/{pid}/stat", "rb") as file:
                is_zombie = file.read().rpartition(b")")[2].split()[0] == b"Z"
        except OSError:
            continue
        if is_found and not is_zombie:
            found.append(int(pid))
    return found


class BatchTest(ModelTest):
    """Runs `python3 -m nnrt.batch` on small arrays."""

    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "out")

    def write(self, count, folder="in", shape=(1, 3), seed=1):
        """Writes arrays; returns the folder and the arrays by name."""
        root = os.path.join(self.folder, folder)
        os.makedirs(root, exist_ok=True)
        random = numpy.random.default_rng(seed)
        arrays = {f"{i:05}.npy": random.normal(size=shape).astype("f4") for i in range(count)}
        for name, array in arrays.items():
            numpy.save(os.path.join(root, name), array)
        return root, arrays

    def start(self, *arguments, **environment):
        return subprocess.Popen([sys.executable, "-m", "nnrt.batch", *arguments], text=True, errors="surrogateescape",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment})

    def batch(self, *arguments, code=0, devices=DEVICE):
        """Runs a batch to its end; returns what it printed."""
        process = self.start(*arguments, "-o", self.out, *(["--devices", devices] if devices else []))
        output, errors = process.communicate(timeout=250)
        self.assertEqual(process.returncode, code, output + errors)
        return output + errors

    def outputs(self, ending=".npy"):
        """The outputs by name, without the ending."""
        found = {}
        for folder, folders, names in os.walk(self.out):
            folders[:] = [name for name in folders if name != ".nnrt-batch"]
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.out)[:-len(ending)]] = numpy.load(path)
        return found

    def assert_outputs(self, expected):
        outputs = self.outputs()
        self.assertEqual(sorted(outputs), sorted(expected))
        for name, array in expected.items():
            numpy.testing.assert_allclose(outputs[name], array, rtol=1e-6, atol=1e-6)

    def wait_for_outputs(self, count, process):
        end = time.monotonic() + 100
        while not os.path.isdir(self.out) or len(os.listdir(self.out)) < count:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def slow_model(self, size=256, layers=120 if DEVICE == "cpu" else 30):
        """A model whose runs take milliseconds, and its function."""
        from onnx_writer import OnnxModel
        weights = (numpy.eye(size) * 1.01).astype("f4")
        model = OnnxModel().constant("w", weights)
        for i in range(layers):
            model.node("MatMul", [f"x{i}" if i else "x", "w"], [f"t{i}"])
            model.node("Tanh", [f"t{i}"], [f"x{i + 1}" if i + 1 < layers else "y"])

        def function(x):
            for _ in range(layers):
                x = numpy.tanh(x @ weights)
            return x
        return self.path(model.input("x", (None, size)).output("y", (None, size)), "slow.onnx"), function


def counts_in(text):
    """Files that were run, were done before, and failed, in a summary."""
    found = re.search(r"(\d+) files run(?:, (\d+) done before)?, (\d+) failed", text)
    return tuple(int(number or 0) for number in found.groups())

"""A software GPU that nobody asked for is not used, and one that stands in for hardware is told of once.

software_gpu_test.py NNRT MODEL, on a software driver. With PYTHONPATH, the Python module too.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

NNRT, MODEL = sys.argv[1:3]
os.environ.pop("NNRT_DEVICES", None)
TOLD = "is a software GPU; the CPU device is faster"


def nnrt(*arguments):
    return subprocess.run([NNRT, *arguments], capture_output=True, text=True, check=True)


def devices():
    return json.loads(nnrt("devices", "--json").stdout)


class Tool(unittest.TestCase):
    def test_lists_it_behind_the_cpu(self):
        found = devices()
        self.assertEqual([it["type"] for it in found], ["cpu", "gpu", "other"])
        self.assertEqual(found[1]["kind"], "software")
        self.assertEqual(found[2]["members"], found[0]["name"])

    def test_does_not_use_it_unasked(self):
        done = nnrt("run", MODEL, "--json")
        self.assertEqual((json.loads(done.stdout)["device"], done.stderr), ("NNRt auto", ""))
        plan = json.loads(nnrt("plan", MODEL, "--json").stdout)
        self.assertEqual({it["device"] for it in plan["operations"]}, {devices()[0]["name"]})

    def test_says_so_once(self):
        name = devices()[1]["name"]
        for arguments in (["run", "-d", "gpu"], ["run", "-d", "gpu", "--compare", "gpu"], ["bench", "-d", "gpu,cpu", "--runs", "1"]):
            done = nnrt(arguments[0], MODEL, *arguments[1:])
            self.assertIn(name.rpartition("_")[0] or name, done.stdout)
            self.assertEqual((done.stderr.count(TOLD), done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertEqual(nnrt("run", MODEL, "-d", name).stderr, "")


@unittest.skipUnless("PYTHONPATH" in os.environ and importlib.util.find_spec("numpy"), "without the module")
class Python(unittest.TestCase):
    def test_does_not_use_it_unasked(self):
        import nnrt as module
        self.assertEqual(module.load(MODEL).device.name, "NNRt auto")

    def test_says_so_once(self):
        import nnrt as module
        with warnings.catch_warnings(record=True) as told:
            for _ in range(3):
                self.assertEqual(module.load(MODEL, "gpu").device.name, devices()[1]["name"])
            module.load(MODEL, devices()[1]["name"])
        self.assertEqual([TOLD in str(it.message) for it in told], [True])
        self.assertEqual(told[0].filename, __file__)

    def test_says_so_once_in_a_batch(self):
        import numpy
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/in")
            for number in range(20):
                numpy.save(f"{folder}/in/{number}.npy", numpy.ones((1, 1, 8, 8), "f4"))
            for options, count in (([], 0), (["--devices", "gpu", "--processes", "3"], 1)):
                done = subprocess.run([sys.executable, "-m", "nnrt.batch", MODEL, f"{folder}/in", "-o", f"{folder}/out", *options],
                                      capture_output=True, text=True, check=True)
                self.assertEqual((done.stderr.count(TOLD), done.stderr.count("\n")), (count, count), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

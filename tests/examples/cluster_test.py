"""Runs the cluster example on two workers, and kills one of them midway."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import nnrt

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(TESTS), "examples", "cluster"))  # also for the workers
import batch  # noqa: E402

DIGITS = os.path.join(TESTS, "import", "models", "onnx", "digits.onnx")


def pid_and_builds(dask_worker):
    plugin = dask_worker.plugins[batch.LoadedModel.name]
    return os.getpid(), id(plugin.model)


def slow_infer(path):
    time.sleep(0.02)
    return batch.infer(path)


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = numpy.random.default_rng(1)
        self.images = random.integers(0, 17, (150, 1, 1, 8, 8)).astype("float32")
        self.paths = [os.path.join(folder.name, f"{i}.npy") for i in range(len(self.images))]
        for path, image in zip(self.paths, self.images):
            numpy.save(path, image)
        model = nnrt.load(DIGITS, "cpu")
        self.expected = numpy.stack([model(image) for image in self.images])

    def test_a_killed_worker_loses_nothing(self):
        cluster, client = batch.start(DIGITS, ["cpu", "cpu"])
        with cluster, client:
            before = client.run(pid_and_builds)
            self.assertEqual(len(before), 2)
            numpy.testing.assert_array_equal(numpy.stack(batch.run(client, self.paths)), self.expected)
            self.assertEqual(client.run(pid_and_builds), before)  # nothing was rebuilt

            runs = client.map(slow_infer, self.paths, retries=3, pure=False)
            while sum(run.done() for run in runs) < 20:
                time.sleep(0.01)
            victim = next(iter(before.values()))[0]
            os.kill(victim, signal.SIGKILL)
            self.assertLess(sum(run.done() for run in runs), len(runs))  # in the middle
            numpy.testing.assert_array_equal(numpy.stack(client.gather(runs)), self.expected)
            client.wait_for_workers(2, timeout=60)
            pids = set(client.run(os.getpid).values())
            self.assertEqual(len(pids), 2)
            self.assertNotIn(victim, pids)

    def test_the_program_writes_the_outputs_in_order(self):
        output = os.path.join(self.folder, "out.npy")
        subprocess.run([sys.executable, batch.__file__, DIGITS, *self.paths[:10], "--output", output, "--devices", "cpu,cpu"],
                       check=True, stdout=subprocess.DEVNULL)
        numpy.testing.assert_array_equal(numpy.load(output), self.expected[:10])


if __name__ == "__main__":
    unittest.main()

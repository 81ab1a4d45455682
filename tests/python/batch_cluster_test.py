"""python3 -m nnrt.batch on a Dask scheduler and workers, which run as commands and come, go and die."""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy

from batch_files import BatchTest, counts_in
from model_files import DEVICE

try:
    from distributed import Client
except ImportError:
    raise unittest.SkipTest("Dask is not installed.") from None
if DEVICE != "cpu" or not shutil.which("dask"):
    raise unittest.SkipTest("Once is enough: on the CPU, with the command dask.")


def models_in_worker():
    from nnrt.batch import _recipe
    return len(_recipe._models)


class Cluster(BatchTest):
    def setUp(self):
        super().setUp()
        self.scheduler_file = os.path.join(self.folder, "scheduler.json")
        self.scheduler = self.command("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.scheduler_file)

    def command(self, *arguments):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.addCleanup(log.close)
        process = subprocess.Popen(["dask", *arguments, "--no-dashboard"], cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def worker(self, name):
        return self.command("worker", "--scheduler-file", self.scheduler_file, "--name", name, "--nthreads", "1", "--no-nanny",
                            "--host", "127.0.0.1")

    def client(self):
        end = time.monotonic() + 60
        while not os.path.exists(self.scheduler_file):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        client = Client(scheduler_file=self.scheduler_file)
        self.addCleanup(client.close)
        return client

    def test_workers_come_and_die_and_a_killed_client_is_resumed(self):
        path, function = self.slow_model()
        root, arrays = self.write(600, shape=(1, 256))
        arrays = {name: function(array) for name, array in arrays.items()}
        with open(os.path.join(root, "bad.npy"), "wb"):
            pass
        victim, second = self.worker("first"), self.worker("second")
        client = self.client()
        address = client.scheduler.address
        client.wait_for_workers(2, timeout=60)
        arguments = [path, root, "-o", self.out, "--devices", "cpu", "--scheduler", address]

        with self.start(*arguments) as process:  # a client that is killed
            self.wait_for_outputs(40, process)
            process.kill()
        last = -1
        while last != (last := len(self.outputs())):  # tasks in progress end
            time.sleep(0.5)
        self.assertLess(last, 600)

        process = self.start(*arguments, "--resume")
        with process:
            for worker in (victim, second):
                worker.send_signal(signal.SIGSTOP)  # or they might finish before the late one is there
            self.worker("late")
            client.wait_for_workers(3, timeout=60)
            for worker in (victim, second):
                worker.send_signal(signal.SIGCONT)
            self.wait_for_outputs(last + 40, process)
            victim.kill()
            output, errors = process.communicate(timeout=100)
        done, before, failed = counts_in(output)
        self.assertEqual((process.returncode, done + before, failed), (1, 600, 1), errors)
        self.assertGreaterEqual(before, last)
        self.assertIn("nnrt.batch: bad.npy: ", errors)
        outputs = self.outputs()
        self.assertEqual(sorted(outputs), sorted(arrays))
        for name, array in arrays.items():
            numpy.testing.assert_allclose(outputs[name], array, atol=1e-3)
        names = {address: info["name"] for address, info in client.scheduler_info()["workers"].items()}
        models = {names[address]: count for address, count in client.run(models_in_worker).items()}
        self.assertEqual(models, {"second": 1, "late": 1})  # each built the model once, for both batches

    def test_a_scheduler_that_ends_ends_the_batch(self):
        path, _ = self.slow_model()
        root, _ = self.write(600, shape=(1, 256))
        self.worker("first")
        with self.client() as client:
            client.wait_for_workers(1, timeout=60)
            address = client.scheduler.address
        process = self.start(path, root, "-o", self.out, "--devices", "cpu", "--scheduler", address)
        with process:
            self.wait_for_outputs(10, process)
            self.scheduler.kill()
            output, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors, "^nnrt.batch: .*\n$")
        self.assertLess(counts_in(output)[0], 600)

    def test_errors_are_one_sentence(self):
        model, _ = self.scaled_sum()
        root, _ = self.write(1)
        client = self.client()
        process = self.start(self.path(model), root, "-o", self.out, "--devices", "gpu9", "--scheduler", client.scheduler.address)
        with process:
            self.worker("late")
            _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("nnrt.batch: Device (gpu9) is not one of", errors)


if __name__ == "__main__":
    sys.exit(unittest.main())

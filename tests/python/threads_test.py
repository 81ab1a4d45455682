"""Threads that run, profile, load and delete models, and await runs, at once."""

import asyncio
import gc
import os
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy

import nnrt
from model_files import DEVICE, DIGITS, digits_sample

SECONDS = float(os.environ.get("TEST_SECONDS", "2"))


class Threads(unittest.TestCase):
    def setUp(self):
        self.image, self.expected = digits_sample(0)
        self.shared = nnrt.load(DIGITS, DEVICE)
        self.end = time.monotonic() + SECONDS
        self.rounds = {}

    def check(self, result):
        numpy.testing.assert_allclose(result, self.expected, atol=1e-4)

    def run_shared(self):
        self.check(self.shared(self.image))

    def run_shared_tensors(self):
        x = nnrt.Tensor.from_numpy(self.image)
        y = nnrt.Tensor(self.expected.shape)
        self.shared.run([x], {self.shared.outputs[0].name: y})
        view = y.numpy()
        del x, y
        self.check(view)

    def load_and_delete(self):
        model = nnrt.load(DIGITS, DEVICE)
        result = model(self.image)
        del model
        gc.collect()
        self.check(result)

    def load_and_close(self):
        with nnrt.load(DIGITS, DEVICE, shapes=(1, 1, 8, 8)) as model:
            self.check(model(self.image))

    def profile(self):
        profile = self.shared.profile([self.image], runs=2, warmup=0)
        self.assertEqual(profile.runs, 2)

    def await_runs(self):
        async def several():
            results = await asyncio.gather(*(self.shared.run_async([self.image]) for _ in range(4)))
            for result in results:
                self.check(result[self.shared.outputs[0].name])

        asyncio.run(several())

    def cancel_runs(self):
        async def several():
            tasks = [asyncio.ensure_future(self.shared.run_async([self.image])) for _ in range(3)]
            await asyncio.sleep(0)
            tasks[0].cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            self.check(results[2][self.shared.outputs[0].name])

        asyncio.run(several())

    def replace_shared(self):
        """Other threads may be in a run of the model that this deletes."""
        self.shared = nnrt.load(DIGITS, DEVICE)

    def test_do_all_at_once(self):
        def repeat(work):
            while time.monotonic() < self.end:
                work()
                self.rounds[work.__name__] = self.rounds.get(work.__name__, 0) + 1

        works = [self.run_shared, self.run_shared_tensors, self.load_and_delete, self.load_and_close, self.profile,
                 self.await_runs, self.cancel_runs, self.replace_shared]
        with ThreadPoolExecutor(len(works)) as pool:
            list(pool.map(repeat, works))
        self.assertEqual(set(self.rounds), {work.__name__ for work in works})


if __name__ == "__main__":
    unittest.main()

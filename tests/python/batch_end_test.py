"""How batches end before their last file: after Ctrl-C, too many failures, or on a full disk."""

import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import numpy

from batch_files import BatchTest, counts_in, pids_with
from model_files import DEVICE
from nnrt.batch import _output_folder, _work


class Interrupts(BatchTest):
    def interrupted(self, path, root, *pauses, begun=0):
        """A batch after as many Ctrl-C as pauses: its counts, and the seconds from the last one to its end."""
        process = self.start(path, root, "-o", self.out, "--devices", DEVICE, "--processes", "2", BATCH_TEST_MARK=self.folder)
        with process:
            if begun:
                self.wait_for_outputs(begun, process)
            while len(pids_with(f"BATCH_TEST_MARK={self.folder}")) < 4:  # a process that builds the model
                self.assertIsNone(process.poll())
            for pause in pauses:
                time.sleep(pause)
                process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            output, errors = process.communicate(timeout=100)
        self.assertEqual((process.returncode, errors), (130, "nnrt.batch: Interrupted; --resume continues.\n"), output)
        return counts_in(output) if output else None, time.monotonic() - begin

    def assert_resumes(self, path, root, done, count):
        self.assertEqual(len(self.outputs()), done)
        self.assertEqual(counts_in(self.batch(path, root, "--resume")), (count - done, done, 0))
        self.assertEqual(os.listdir(os.path.join(self.out, ".nnrt-batch")), ["record.json"])

    def test_end_a_batch_that_can_be_resumed(self):
        path, _ = self.slow_model()
        root, _ = self.write(150, shape=(1, 256))
        (done, skipped, failed), _ = self.interrupted(path, root, 0, begun=10)
        self.assertEqual((skipped, failed), (0, 0))
        self.assertLess(done, 150)
        self.assert_resumes(path, root, done, 150)

    def test_wait_for_the_files_in_progress_alone(self):
        path, _ = self.slow_model()
        root, _ = self.write(40, shape=(2000, 256))  # a task has 8 of them
        (done, _, _), _ = self.interrupted(path, root, 0, begun=2)
        self.assertLessEqual(done, 8)
        self.assertEqual(len(self.outputs()), done)

    def test_end_it_at_once_the_second_time(self):
        path, _ = self.slow_model()
        root, _ = self.write(4)  # of another shape: not run
        os.makedirs(os.path.join(self.folder, "big"))
        for number in range(6):
            numpy.save(os.path.join(self.folder, "big", f"{number}.npy"), numpy.ones((2 if number < 2 else 60_000, 256), "f4"))
        (done, _, failed), seconds = self.interrupted(path, os.path.join(self.folder, "big"), 0.5, 0.5, begun=2)
        self.assertLess(seconds, 3)
        self.assertEqual((done, failed), (len(self.outputs()), 0))
        self.assertLess(done, 6)
        end = time.monotonic() + 5
        while pids_with(f"BATCH_TEST_MARK={self.folder}"):
            self.assertLess(time.monotonic(), end, "workers live on")
            time.sleep(0.01)

    def test_before_the_first_file_end_it_at_once(self):
        path, _ = self.slow_model(layers=2000)  # takes a while to build
        root, _ = self.write(4, shape=(1, 256))
        counts, seconds = self.interrupted(path, root, 0)
        self.assertIn(counts, (None, (0, 0, 0)))
        self.assertLess(seconds, 3)
        self.assertFalse(os.path.isdir(self.out) and self.outputs())


class Ends(BatchTest):
    def wrong(self, count, folder="wrong", of=1):
        """Arrays of which every one of `of` has another shape than the model."""
        root = os.path.join(self.folder, folder)
        os.makedirs(root)
        for number in range(count):
            numpy.save(os.path.join(root, f"{number:04}.npy"), numpy.ones((1, 4 if number % of == 0 else 3), "f4"))
        return root

    def test_after_many_failures_in_a_row(self):
        model, _ = self.scaled_sum()
        for options, limit in (([], 100), (["--max-failures", "7", "--processes", "2"], 7)):
            text = self.batch(self.path(model), self.wrong(2000, f"wrong{limit}"), *options, code=1)
            self.assertEqual(text.count(".npy: "), limit, text)
            self.assertIn(f"\nnnrt.batch: {limit} files in a row failed (--max-failures); --resume continues.\n", text)
            done, _, failed = counts_in(text)
            self.assertEqual(done, 0)
            self.assertTrue(limit <= failed < 1000, failed)

    def test_not_after_failures_between_others(self):
        model, _ = self.scaled_sum()
        text = self.batch(self.path(model), self.wrong(60, of=2), "--max-failures", "2", code=1)
        self.assertEqual(counts_in(text), (30, 0, 30))

    def test_where_another_batch_begins(self):
        path, _ = self.slow_model()
        root, _ = self.write(150, shape=(600, 256))
        with self.start(path, root, "-o", self.out, "--devices", DEVICE) as process:
            self.wait_for_outputs(5, process)
            self.batch(path, os.path.join(root, "00149.npy"), "--resume")
            output, errors = process.communicate(timeout=100)
        self.assertEqual((process.returncode, errors), (1, "nnrt.batch: The output folder was removed, or another batch writes to it.\n"))
        self.assertLess(counts_in(output)[0], 150)

    def test_where_another_batch_removes_the_file_being_written(self):
        model, _ = self.scaled_sum()
        root, arrays = self.write(3)
        _, job, _ = _work.prepare(_work.Job(_work.Recipe.of(self.path(model), (DEVICE,)), root, self.out))
        move = _output_folder._move

        def begin_another(beside, path):
            with mock.patch.object(_output_folder, "_move", move):
                _work.prepare(job)
            move(beside, path)

        with mock.patch.object(_output_folder, "_move", begin_another):
            report = _work.run_files(job, sorted(arrays))
        self.assertEqual((report.done, report.failures), (0, []))

    def test_on_a_full_disk(self):
        """In a file system of 600 kB of its own, and goes on where there is room."""
        os.mkdir(self.out)
        mount = ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=600k tmpfs '{self.out}' && exec \"$@\"", "sh"]
        if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("without the right to mount")
        model, function = self.scaled_sum()
        path = self.path(model)
        root, arrays = self.write(200, shape=(800, 3))  # outputs of 10 kB
        count = "; find \"$0\" -name '*.npy' | wc -l; find \"$0\" -path '*/.nnrt-batch/*' | wc -l"
        batch = [sys.executable, "-m", "nnrt.batch", path, root, "-o", self.out, "--devices", DEVICE, "--processes", "2"]
        done = subprocess.run([*mount, "sh", "-c", '"$@"' + count, self.out, *batch], text=True, capture_output=True, check=False)
        lines = done.stdout.splitlines()
        counts = counts_in(lines[0])
        self.assertEqual((counts[0], 1), (int(lines[1]), int(lines[2])), done.stdout + done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertTrue(done.stderr.endswith("nnrt.batch: The disk is full; --resume continues.\n"), done.stderr)
        self.assertTrue(20 < counts[0] < 80 and 0 < counts[2] <= 4, counts)
        self.assertEqual(counts_in(self.batch(path, root, "--resume")), (200, 0, 0))
        self.assert_outputs({name: function(array) for name, array in arrays.items()})


class Caches(BatchTest):
    def test_that_cannot_be_written_are_warned_of_once(self):
        model, function = self.scaled_sum()
        root, arrays = self.write(50)
        for folder in ("/proc", "/proc/nnrt"):  # root may write to others
            process = self.start(self.path(model), root, "-o", self.out, "--devices", DEVICE, "--processes", "3", "--cache", folder,
                                 NNRT_LOG="no_call_errors")
            output, errors = process.communicate(timeout=100)
            self.assertEqual((process.returncode, counts_in(output)), (0, (50, 0, 0)), errors)
            self.assertRegex(errors, r"^NNRt W: .*/proc.*: .*\. The model is not cached\.\n$")
            self.assert_outputs({name: function(array) for name, array in arrays.items()})


if __name__ == "__main__":
    unittest.main()

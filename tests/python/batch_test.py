"""python3 -m nnrt.batch on the processes of this machine, and its parts."""

import concurrent.futures
import contextlib
import io
import os
import signal
import subprocess
import time
import unittest
import unittest.mock
import zlib

import numpy

import nnrt
from batch_files import BatchTest, counts_in, pids_with
from model_files import DEVICE
from nnrt.batch import _dispatch, _files, _progress, _rows, _work, _workers
from onnx_writer import OnnxModel

TOOL = os.environ.get("TEST_TOOL")


def png(pixels):
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Outputs(BatchTest):
    def test_are_those_of_a_loop(self):
        model, function = self.scaled_sum()
        root, arrays = self.write(30)
        expected = {name: function(array) for name, array in arrays.items()}
        for more in (["--processes", "2"], ["--batch", "8"]):
            self.assertEqual(counts_in(self.batch(self.path(model), root, *more)), (30, 0, 0))
            self.assert_outputs(expected)

    def test_repeat_the_tree_of_the_inputs(self):
        model, function = self.scaled_sum()
        expected, given = {}, []
        for folder in ("in", "in/a", "in/a/b", "in/.hidden"):
            root, arrays = self.write(2, folder, seed=len(expected))
            if "hidden" not in folder:
                expected.update({os.path.relpath(os.path.join(root, name), os.path.join(self.folder, "in")): function(array)
                                 for name, array in arrays.items()})
        odd = os.path.join(self.folder, "in", os.fsdecode(b"\xff=x.npy"))
        numpy.save(odd, numpy.ones((1, 3), "f4"))
        expected[os.path.basename(odd)] = function(numpy.ones((1, 3), "f4"))
        with open(os.path.join(self.folder, "in", "notes.txt"), "w", encoding="utf-8") as file:
            file.write("no sample")
        self.out = os.path.join(self.folder, "in", "out")  # not an input of the second batch
        for _ in range(2):
            self.assertEqual(counts_in(self.batch(self.path(model), os.path.join(self.folder, "in"))), (7, 0, 0))
            self.assert_outputs(expected)
        given = [os.path.join(self.folder, "in", name) for name in expected]
        self.out = os.path.join(self.folder, "again")
        self.batch(self.path(model), *given)
        self.assert_outputs(expected)

    def test_of_rows_of_several_files_at_once_are_taken_apart(self):
        model, function = self.scaled_sum()
        expected = {}
        for rows in (1, 2, 3, 9):
            root, arrays = self.write(4, shape=(rows, 3), seed=rows)
            for name, array in arrays.items():
                os.rename(os.path.join(root, name), os.path.join(root, f"{rows}{name}"))
                expected[f"{rows}{name}"] = function(array)
        self.batch(self.path(model), root, "--batch", "5")
        self.assert_outputs(expected)

    def test_of_inputs_with_different_rows_are_run_alone(self):
        model = OnnxModel().node("Sub", ["a", "b"], ["d"]).node("MatMul", ["d", "w"], ["y"])
        model.constant("w", numpy.eye(3, dtype="f4")).input("a", (None, 3)).input("b", (None, 3)).output("y", (None, 3))
        built, samples, expected = self.load(model), [], []
        for i, (left, right) in enumerate(((1, 1), (2, 2), (2, 1), (1, 2), (2, 2), (1, 1), (4, 4))):
            a, b = (numpy.random.default_rng(i).normal(size=(rows, 3)).astype("f4") for rows in (left, right))
            samples.append((i, [a, b]))
            expected.append(a - b)
        with unittest.mock.patch.object(built, "_run", wraps=built._run) as run:
            for (i, result), array in zip(_rows.run_all(built, samples, 3), expected):
                numpy.testing.assert_allclose(result[0], array, rtol=1e-6, err_msg=str(i))
        self.assertEqual([len(call.args[0][0]) for call in run.call_args_list], [3, 2, 1, 3, 4])

    def test_of_outputs_without_a_row_for_each_row_are_run_alone(self):
        model = OnnxModel().node("NonZero", ["x"], ["i"]).node("Transpose", ["i"], ["y"], perm=[1, 0])
        built = self.load(model.input("x", (None, 3)).output("y", (None, 2), "int64"))
        samples = [(i, [numpy.eye(1, 3, i, dtype="f4") + numpy.eye(1, 3, dtype="f4")]) for i in range(3)]
        for (i, result), (_, (x,)) in zip(_rows.run_all(built, samples, 3), samples):
            numpy.testing.assert_array_equal(result[0], numpy.argwhere(x))

    @unittest.skipUnless(TOOL, "without the tool")
    def test_of_images_are_those_of_the_tool(self):
        model = OnnxModel().constant("k", numpy.float32(3).reshape(1)).node("Mul", ["x", "k"], ["y"])
        path = self.path(model.input("x", (None, 3, 5, 7)).output("y", (None, 3, 5, 7)))
        root, options = os.path.join(self.folder, "in"), ["--mean", "10,20,30", "--scale", "1/127.5"]
        os.mkdir(root)
        for number in range(5):
            pixels = numpy.random.default_rng(number).integers(0, 256, (6 + number, 9, 3), numpy.uint8)
            with open(os.path.join(root, f"{number}.png"), "wb") as file:
                file.write(png(pixels))
        self.batch(path, root, "--batch", "3", *options)
        outputs = self.outputs()
        self.assertEqual(len(outputs), 5)
        for name, array in outputs.items():
            tool = os.path.join(self.folder, "tool")
            subprocess.run([TOOL, "run", path, "--input", os.path.join(root, name), *options, "--device", DEVICE, "--output", tool],
                           check=True, stdout=subprocess.DEVNULL)
            numpy.testing.assert_array_equal(array, numpy.load(os.path.join(tool, "0_y.npy")))

    def test_of_several_inputs_and_outputs(self):
        model = OnnxModel().node("Add", ["a", "b"], ["sum"]).node("Mul", ["a", "b"], ["product"])
        for name in ("a", "b"):
            model.input(name, (None, 3))
        path = self.path(model.output("sum", (None, 3)).output("product", (None, 3)))
        a, b = numpy.random.default_rng(1).normal(size=(2, 6, 1, 3)).astype("f4")
        root = os.path.join(self.folder, "in")
        for i in range(0, 6, 2):
            folder = os.path.join(root, f"{i}")
            os.makedirs(folder)
            numpy.save(os.path.join(folder, "a.npy"), a[i])
            numpy.save(os.path.join(folder, "b.npy"), b[i])
            numpy.savez(os.path.join(root, f"{i + 1}.npz"), b=b[i + 1], a=a[i + 1])
        numpy.savez(os.path.join(root, "half.npz"), a=a[0])
        numpy.save(os.path.join(root, "single.npy"), a[0])
        text = self.batch(path, root, "--batch", "4", code=1)
        self.assertIn("half.npz: Archive", text)
        self.assertIn("has no array for input b.", text)
        self.assertIn("single.npy: The model has 2 inputs", text)
        outputs = self.outputs(".npz")
        self.assertEqual(sorted(outputs), ["0", "1.npz", "2", "3.npz", "4", "5.npz"])
        for i in range(6):
            found = outputs[f"{i}" if i % 2 == 0 else f"{i}.npz"]
            numpy.testing.assert_allclose(found["sum"], a[i] + b[i], rtol=1e-6)
            numpy.testing.assert_allclose(found["product"], a[i] * b[i], rtol=1e-6)


class BadFiles(BatchTest):
    def test_are_reported_and_end_nothing(self):
        model, function = self.scaled_sum()
        root, arrays = self.write(20)
        with open(os.path.join(root, "bad.npy"), "wb") as file:
            file.write(b"\x93NUMPY")
        numpy.save(os.path.join(root, "bad_shape.npy"), numpy.ones((1, 4), "f4"))
        missing = os.path.join(root, "missing.npy")
        for rows in ("1", "8"):
            text = self.batch(self.path(model), root, missing, "--batch", rows, code=1)
            self.assertEqual(counts_in(text), (20, 0, 3))
            for name in ("bad.npy", "bad_shape.npy", "missing.npy"):
                self.assertIn(f"nnrt.batch: {name}: ", text)
            self.assert_outputs({name: function(array) for name, array in arrays.items()})

    def test_an_output_that_cannot_be_written_is_one_of_them(self):
        model, _ = self.scaled_sum()
        root, _ = self.write(3)
        os.makedirs(os.path.join(self.out, "00001.npy.npy"))
        text = self.batch(self.path(model), root, code=1)
        self.assertEqual(counts_in(text), (2, 0, 1))
        self.assertRegex(text, r"00001.npy: File \(.*00001.npy.npy\) cannot be written: Is a directory.")

    def test_what_no_file_could_be_run_with_is_one_sentence(self):
        model, _ = self.scaled_sum()
        root, _ = self.write(1)
        fixed, _ = self.scaled_sum((1, 3))
        for arguments, sentence in (([self.path(model), root, "--batch", "2", "--shape", "1,3"], "needs an open first dimension"),
                                    ([self.path(fixed, "fixed.onnx"), root, "--batch", "2"], "needs an open first dimension"),
                                    ([os.path.join(self.folder, "none.onnx"), root], "none.onnx"),
                                    ([self.path(model), root, "--resume", "--mean", "1"], "cannot be resumed")):
            if "--resume" in arguments:
                self.batch(self.path(model), root)
            text = self.batch(*arguments, code=1)
            self.assertIn(sentence, text)
            self.assertEqual(text.count("\n"), 1, text)

    def test_wrong_commands_end_with_2(self):
        model, _ = self.scaled_sum()
        root, _ = self.write(1)
        for wrong in (["--batch", "0"], ["--shape", "x=a"], ["--mean", "1/0"], ["--scheduler", "tcp://x", "--processes", "2"]):
            self.batch(self.path(model), root, *wrong, code=2)
        self.out = root
        self.assertIn("the output folder is also an input", self.batch(self.path(model), root, code=2))


class Resume(BatchTest):
    def test_runs_only_what_is_missing_or_older(self):
        model, function = self.scaled_sum()
        root, arrays = self.write(10)
        command = [self.path(model), root]
        self.batch(*command)
        self.assertEqual(counts_in(self.batch(*command, "--resume")), (0, 10, 0))
        os.remove(os.path.join(self.out, "00003.npy.npy"))
        arrays["00004.npy"] = numpy.ones((1, 3), "f4")
        time.sleep(0.02)
        numpy.save(os.path.join(root, "00004.npy"), arrays["00004.npy"])
        self.assertEqual(counts_in(self.batch(*command, "--resume")), (2, 8, 0))
        self.assert_outputs({name: function(array) for name, array in arrays.items()})

    def test_keeps_no_output_of_an_earlier_batch(self):
        model, function = self.scaled_sum()
        root, arrays = self.write(10)
        other = OnnxModel().node("Neg", ["x"], ["y"]).input("x", (None, 3)).output("y", (None, 3))
        self.batch(self.path(other, "other.onnx"), root)
        time.sleep(0.02)
        self.batch(self.path(model), *[os.path.join(root, name) for name in list(arrays)[:4]])  # as if it ended early
        self.assertEqual(counts_in(self.batch(self.path(model), root, "--resume")), (6, 4, 0))
        self.assert_outputs({name: function(array) for name, array in arrays.items()})
        self.assertIn("of another model", self.batch(self.path(other), root, "--resume", code=1))

    def test_refuses_a_folder_of_something_else(self):
        model, _ = self.scaled_sum()
        root, _ = self.write(1)
        os.mkdir(self.out)
        with open(os.path.join(self.out, "file"), "wb"):
            pass
        self.assertIn("has no batch to resume", self.batch(self.path(model), root, "--resume", code=1))

    def test_behind_a_killed_client(self):
        path, function = self.slow_model()
        root, arrays = self.write(200, shape=(1, 256))
        mark = f"BATCH_TEST_MARK={self.folder}"
        process = self.start(path, root, "-o", self.out, "--devices", DEVICE, "--processes", "2", BATCH_TEST_MARK=self.folder)
        with process:
            self.wait_for_outputs(10, process)
            process.kill()
        end = time.monotonic() + 30
        while pids_with(mark):
            self.assertLess(time.monotonic(), end, "workers live on")
            time.sleep(0.01)
        done = len(self.outputs())
        self.assertLess(done, 200)
        self.assertEqual(counts_in(self.batch(path, root, "--resume")), (200 - done, done, 0))
        self.assertEqual(os.listdir(os.path.join(self.out, ".nnrt-batch")), ["record.json"])
        outputs = self.outputs()
        for name, array in arrays.items():
            numpy.testing.assert_allclose(outputs[name], function(array), atol=1e-3)


def run_unless_poisoned(job, names):
    if any("poison" in name for name in names):
        os.kill(os.getpid(), signal.SIGKILL)
    return _work.run_files(job, names)


class Deaths(BatchTest):
    def test_of_a_process_lose_nothing(self):
        path, _ = self.slow_model()
        root, _ = self.write(150, shape=(1, 256))
        process = self.start(path, root, "-o", self.out, "--devices", DEVICE, "--processes", "2", BATCH_TEST_MARK=self.folder)
        with process:
            self.wait_for_outputs(10, process)
            victim = max(pids_with(f"BATCH_TEST_MARK={self.folder}"))
            self.assertNotEqual(victim, process.pid)
            os.kill(victim, signal.SIGKILL)
            output, errors = process.communicate(timeout=250)
        self.assertEqual((process.returncode, counts_in(output)), (0, (150, 0, 0)), errors)
        self.assertEqual(len(self.outputs()), 150)

    def test_are_blamed_on_the_file_that_causes_them(self):
        model, _ = self.scaled_sum()
        root, arrays = self.write(40)
        names = sorted([*arrays, "00020-poison.npy"])
        job = _work.Job(_work.Recipe.of(self.path(model), (DEVICE,)), root, self.out)
        workers, progress = _workers.LocalWorkers(2), _progress.Progress(len(names))
        self.addCleanup(workers.close)
        _, job, _ = workers.submit(_work.prepare, job).result()
        with contextlib.redirect_stderr(io.StringIO()), \
             unittest.mock.patch.object(_dispatch, "run_files", run_unless_poisoned), \
             unittest.mock.patch.object(progress, "fail", side_effect=progress.fail) as fail:
            _dispatch.Dispatcher(workers, job, progress).run(names)
        fail.assert_called_once_with("00020-poison.npy", "The process that ran it died.")
        self.assertEqual((progress.done, progress.failed), (40, 1))


class Counted:
    """Workers that do nothing, and count what is in their hands."""

    task_seconds, deaths = 0.05, ()

    def __init__(self):
        self._pool = concurrent.futures.ThreadPoolExecutor(2)
        self.tasks = self.largest = self.files = 0

    def submit(self, _, __, names):
        self.tasks += 1
        self.files += len(names)
        self.largest = max(self.largest, self.tasks)
        future = self._pool.submit(_work.Report, len(names), 0, [], 1e-5 * len(names))
        future.add_done_callback(self.finish)
        return future

    def finish(self, _):
        self.tasks -= 1

    def window(self):
        return 6


class Memory(unittest.TestCase):
    def test_does_not_grow_with_the_number_of_files(self):
        taken = 0

        def names():
            nonlocal taken
            for i in range(100_000):
                taken += 1
                self.assertLessEqual(taken - progress.done, 6 * 1000 + 1)  # names in the client's hands
                yield f"{i}.npy"

        workers, progress = Counted(), _progress.Progress(100_000)
        job = _work.Job(_work.Recipe("model.onnx"), "/in", "/out")
        _dispatch.Dispatcher(workers, job, progress).run(names())
        self.assertEqual((progress.done, workers.files), (100_000, 100_000))
        self.assertLessEqual(workers.largest, 6)

    def test_tasks_have_several_files_and_multiples_of_a_batch(self):
        pace = _dispatch.Pace(0.05, 32)
        self.assertEqual(pace.files(), 32)
        for _ in range(9):
            pace.observe(pace.files(), 1e-5 * pace.files())
        self.assertEqual(pace.files(), 992)
        pace.observe(992, 99)
        self.assertEqual(pace.files(), 32)


class Folders(BatchTest):
    def test_that_cannot_be_listed_are_reported(self):
        reported = []
        files = _files.InputFiles([self.folder], self.folder, self.out, 1, lambda path, error: reported.append(path))
        with unittest.mock.patch("os.scandir", side_effect=PermissionError(13, "Permission denied")):
            self.assertEqual(list(files), [])
        self.assertEqual(reported, [self.folder])


class Devices(unittest.TestCase):
    def test_are_taken_in_turn_by_the_processes_of_a_machine(self):
        code = "from nnrt.batch import _recipe; print(_recipe._slot(), flush=True); input()"
        def start():
            return subprocess.Popen([os.sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        with start() as first, start() as second:
            slots = {int(process.stdout.readline()) for process in (first, second)}
            self.assertEqual(len(slots), 2)
            first.communicate("\n")
            second.communicate("\n")


if __name__ == "__main__":
    unittest.main()

"""Caches are found by the identity of the model's files, in the module and in the tool (TEST_TOOL)."""
import ctypes
import os
import shutil
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy

import nnrt
from model_files import DEVICE, ModelTest
from onnx_writer import OnnxModel

SETTLED = 0.25  # seconds after which time stamps are trusted
COUNT = 5000    # elements, so that weights are not small
TOOL = os.environ.get("TEST_TOOL")
_libc = ctypes.CDLL(None, use_errno=True)


class Reads:
    """Whether files are read, by inotify."""

    IN_ACCESS, IN_NONBLOCK = 0x1, 0o4000

    def __init__(self, *paths):
        self.fd = _libc.inotify_init1(self.IN_NONBLOCK)
        assert self.fd >= 0
        for path in paths:
            assert _libc.inotify_add_watch(self.fd, os.fsencode(path), self.IN_ACCESS) >= 0

    def any(self):
        try:
            return len(os.read(self.fd, 4096)) > 0
        except BlockingIOError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)


def sum_model(summand, external=None):
    """y = x + summand; with the weights in the file `external`."""
    model = OnnxModel().node("Add", ["x", "w"], ["y"])
    weights = numpy.full(COUNT, summand, "f4")
    if external is None:
        model.constant("w", weights)
    else:
        with open(external, "wb") as file:
            file.write(weights.tobytes())
        model.external("w", "float32", [COUNT], os.path.basename(external))
    return model.input("x", [COUNT]).output("y", [COUNT])


class CacheTest(ModelTest):
    def setUp(self):
        super().setUp()
        self.cache = os.path.join(self.folder, "cache")
        self.model = os.path.join(self.folder, "model.onnx")

    def write(self, summand, path=None, settle=True):
        data = sum_model(summand).bytes()
        with open(path or self.model, "r+b" if os.path.exists(path or self.model) else "wb") as file:
            file.write(data)
            file.truncate()
        if settle:
            time.sleep(SETTLED)

    def container(self):
        return next(os.path.join(self.cache, name) for name in os.listdir(self.cache) if name.endswith("0.nncache"))

    def check(self, summand, reads, *also, **options):
        """Loads and runs the model: its numbers, and whether the files are read."""
        with Reads(self.model, *also) as seen:
            self.assertEqual(self.result(**options), summand)
            self.assertEqual(seen.any(), reads, "the model file was read" if not reads else "the model file was not read")


class Module(CacheTest):
    def result(self, **options):
        model = nnrt.load(self.model, DEVICE, cache=self.cache, **options)
        self.assertEqual([info.name for info in model.inputs + model.outputs], ["x", "y"])
        y = model(numpy.zeros(COUNT, "f4"))
        self.assertTrue((y == y[0]).all())
        return y[0]

    def test_unchanged_files_are_not_read(self):
        self.write(1)
        self.check(1, True)
        self.check(1, False)
        self.check(1, True, shapes=(COUNT,))
        self.check(1, False, shapes=(COUNT,))
        self.check(1, False)

    def test_restored_models_are_complete(self):
        self.write(1)
        first = nnrt.load(self.model, DEVICE, cache=self.cache)
        with Reads(self.model) as seen:
            second = nnrt.load(self.model, DEVICE, cache=self.cache)
            self.assertFalse(seen.any())
        self.assertEqual((second.inputs, second.outputs, second.operations, second.files),
                         (first.inputs, first.outputs, first.operations, first.files))
        self.assertTrue(second.operations)
        paths = [os.path.join(self.folder, f"{number}.nnrt") for number in range(2)]
        for model, path in zip((first, second), paths):
            model.save(path)
        with open(paths[0], "rb") as a, open(paths[1], "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertEqual(nnrt.load(paths[1]).inputs, first.inputs)
        self.assertEqual([node["layer"] for node in second.placement["nodes"]], [node["layer"] for node in first.placement["nodes"]])

    def test_changed_files_are_read(self):
        for change in self.changes:
            with self.subTest(change.__name__):
                shutil.rmtree(self.cache, ignore_errors=True)
                self.write(1)
                self.check(1, True)
                expected = change(self)
                time.sleep(SETTLED)
                self.check(expected, True)
                self.check(expected, False)

    def overwritten_in_place(self):
        times = os.stat(self.model)
        self.write(2)
        os.utime(self.model, ns=(times.st_atime_ns, times.st_mtime_ns))
        return 2

    def replaced(self):
        times, other = os.stat(self.model), self.model + ".new"
        self.write(2, other)
        os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
        os.rename(other, self.model)
        return 2

    def touched(self):
        os.utime(self.model)
        return 1

    def deleted_and_written_again(self):
        os.remove(self.model)
        self.write(2)
        return 2

    def made_a_link(self):
        other = os.path.join(self.folder, "other.onnx")
        if os.path.exists(other):
            os.remove(other)
        self.write(2, other)
        os.remove(self.model)
        os.symlink(other, self.model)
        return 2

    def cache_is_truncated(self):
        os.truncate(self.container(), 100)
        return 1

    def cache_is_overwritten(self):
        size = os.path.getsize(self.container())
        with open(self.container(), "r+b") as file:
            file.seek(size // 2)
            file.write(os.urandom(256))
        return 1

    def note_is_damaged(self):
        with open(self.container(), "r+b") as file:
            file.seek(-20, os.SEEK_END)
            file.write(b"\xff" * 20)
        return 1

    def cache_is_deleted(self):
        shutil.rmtree(self.cache)
        return 1

    changes = (overwritten_in_place, replaced, touched, deleted_and_written_again, made_a_link, cache_is_truncated, cache_is_overwritten,
               note_is_damaged, cache_is_deleted)

    def test_a_file_that_is_gone_or_cut_off_is_an_error(self):
        self.write(1)
        self.check(1, True)
        with open(self.model, "rb") as file:
            data = file.read()
        os.truncate(self.model, 100)
        with self.assertRaises(nnrt.Error) as raised:
            self.result()
        self.assertEqual(raised.exception.code, nnrt.ReturnCode.INVALID_FILE)
        os.remove(self.model)
        with self.assertRaises(nnrt.Error) as raised:
            self.result()
        self.assertEqual(raised.exception.code, nnrt.ReturnCode.INVALID_PATH)
        with open(self.model, "wb") as file:
            file.write(data)
        self.assertEqual(self.result(), 1)

    def test_a_file_changed_a_moment_ago_is_not_trusted(self):
        for summand in range(20):
            self.write(summand, settle=False)
            self.assertEqual(self.result(), summand)
        time.sleep(SETTLED)
        self.check(19, True)
        self.check(19, False)

    def test_external_data_is_a_part_of_the_model(self):
        data = os.path.join(self.folder, "weights.bin")
        model = sum_model(1, data).bytes()
        with open(self.model, "wb") as file:
            file.write(model)
        time.sleep(SETTLED)
        self.check(1, True, data)
        self.check(1, False, data)
        sum_model(2, data)  # writes only the data
        time.sleep(SETTLED)
        self.check(2, True, data)
        self.check(2, False, data)
        os.rename(data, data + ".moved")
        with self.assertRaises(nnrt.Error):
            self.result()
        os.rename(data + ".moved", data)  # changes the time of the status change
        time.sleep(SETTLED)
        self.assertEqual(self.result(), 2)

    def test_by_content_a_moved_file_is_not_imported(self):
        self.write(1)
        self.assertEqual(self.result(cache_by_content=True), 1)
        saved = os.stat(self.container()).st_mtime_ns
        os.utime(self.model)
        copy = self.model + ".copy"
        shutil.copy(self.model, copy)
        os.rename(copy, self.model)
        time.sleep(SETTLED)
        self.assertEqual(self.result(cache_by_content=True), 1)
        self.assertEqual(os.stat(self.container()).st_mtime_ns, saved, "the cache was not saved again")
        self.write(2)
        self.assertEqual(self.result(cache_by_content=True), 2)
        self.check(2, True)  # the other identity is another key
        self.check(2, False)

    def test_many_at_once_get_the_numbers_of_their_file(self):
        models = [os.path.join(self.folder, f"m{number}.onnx") for number in range(2)]
        for number, path in enumerate(models):
            self.write(number, path)

        def result(number):
            return nnrt.load(models[number], DEVICE, cache=self.cache)(numpy.zeros(COUNT, "f4"))[0]

        with ThreadPoolExecutor(12) as pool:
            self.assertEqual(list(pool.map(result, [0, 1] * 6)), [0, 1] * 6)


@unittest.skipUnless(TOOL, "TEST_TOOL is not set")
class Tool(CacheTest):
    def command(self, *options):
        return [TOOL, "run", self.model, "--device", DEVICE, "--cache", self.cache, "--input", "zeros", *options]

    def result(self, *options):
        output = os.path.join(self.folder, "out")
        done = subprocess.run([*self.command(*options), "--output", output], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.first_number(output)

    @staticmethod
    def first_number(output):
        name, = os.listdir(output)
        return numpy.load(os.path.join(output, name))[0]

    def test_unchanged_files_are_not_read(self):
        self.write(1)
        self.check(1, True)
        self.check(1, False)
        os.utime(self.model)
        time.sleep(SETTLED)
        self.check(1, True)
        self.check(1, False)

    def test_options_are_a_part_of_the_identity(self):
        self.write(1)
        self.result()
        for options in (["--fp16"], ["--shape", f"x={COUNT}"], ["--cache-by-content"]):
            with Reads(self.model) as seen:
                self.assertEqual(self.result(*options), 1)
                self.assertTrue(seen.any(), options)
        with Reads(self.model) as seen:
            self.assertEqual(self.result(), 1)
            self.assertTrue(seen.any())

    def test_changed_files_are_read(self):
        self.write(1)
        self.check(1, True)
        times = os.stat(self.model)
        self.write(2)
        os.utime(self.model, ns=(times.st_atime_ns, times.st_mtime_ns))
        time.sleep(SETTLED)
        self.check(2, True)
        self.check(2, False)
        with open(self.container(), "r+b") as file:
            file.truncate(os.path.getsize(self.container()) // 2)
        self.check(2, True)
        self.check(2, False)

    def test_processes_at_once_get_the_numbers_of_their_file(self):
        self.write(1)
        for summand in (1, 2):
            self.write(summand)
            outputs = [os.path.join(self.folder, f"out{turn}") for turn in range(4)]
            processes = [subprocess.Popen([*self.command(), "--output", output], stdout=subprocess.DEVNULL) for output in outputs]
            self.assertEqual([process.wait() for process in processes], [0] * 4)
            for output in outputs:
                self.assertEqual(self.first_number(output), summand)
        self.check(2, False)

    def test_commands_on_parts_of_the_model_leave_no_cache_of_it(self):
        self.write(1)
        done = subprocess.run([TOOL, "compare", self.model, "--devices", f"{DEVICE},cpu", "--layers", "--cache", self.cache, "--input", "zeros"],
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(self.result(), 1)
        self.check(1, False)


if __name__ == "__main__":
    unittest.main()

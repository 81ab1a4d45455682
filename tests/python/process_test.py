"""Unusual processes: without standard streams, forked, or exiting while threads work."""

import gc
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy

import nnrt
from model_files import DEVICE, DIGITS, SANITIZED, ModelTest, digits_sample


def run_python(code, **environment):
    """Runs a script; returns its exit code and stderr."""
    code = f"import os, sys, numpy, nnrt\nDEVICE, DIGITS = {DEVICE!r}, {DIGITS!r}\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-W", "ignore::RuntimeWarning", "-c", code], capture_output=True,
                          env={**os.environ, **environment}, timeout=250)
    return done.returncode, done.stderr.decode(errors="replace")


class Start(unittest.TestCase):
    def test_on_the_cpu_opens_no_driver(self):
        code = """
            model = nnrt.load(DIGITS, {device}, shapes=(1, 1, 8, 8))
            assert model.device.type == "cpu"
            model(numpy.zeros((1, 1, 8, 8), "f4"))
        """
        witnesses = {"NNRT_DEVICES": "cpu,vulkan", "VK_LOADER_DEBUG": "all"}  # reports the search for manifests of drivers
        for device in ('"cpu"', '"CPU_NNRt"', 'nnrt.find_device("cpu")', 'nnrt.find_device("cpu").id'):
            device = device.replace("nnrt.find_device", "__import__('nnrt._device')._device.find_device")
            code_of_device = code.format(device=device)
            returned, errors = run_python(code_of_device, **witnesses)
            self.assertEqual(returned, 0, errors)
            self.assertNotIn("manifest", errors)
        self.assertIn("manifest", run_python("nnrt.devices()", **witnesses)[1])


class StandardStreams(unittest.TestCase):
    # A forked child for each set of closed streams; its exit code tells what went wrong.
    CODE = """
        import tempfile
        for closed in range(8):
            child = os.fork()
            if child == 0:
                break
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code != 0:
                sys.exit(f"closed {closed:03b}: {code}")
        else:
            os._exit(0)
        closed = [fd for fd in range(3) if closed >> fd & 1]
        for fd in closed:
            os.close(fd)
        x = nnrt.Tensor((1, 1, 8, 8))
        x.numpy()[...] = 0
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/cache")
            for _ in range(2):  # compile, then load from the cache
                model = nnrt.load(DIGITS, DEVICE, shapes=(1, 1, 8, 8), cache=folder + "/cache")
        before = model(x)
        try:
            model(numpy.zeros((1, 1, 8, 9), "f4"))  # fails, which is logged
        except nnrt.Error:
            pass
        same = numpy.array_equal(before, model(x)) and not x.numpy().any()
        for fd in closed:
            try:
                name = os.readlink(f"/proc/self/fd/{fd}")
            except FileNotFoundError:
                continue
            if name != "/dev/null" or DEVICE == "cpu":  # only drivers need it
                os._exit(20 + fd)
        os._exit(0 if same and x.fd > 2 else 1)
    """

    def test_that_are_closed_stay_closed(self):
        hosts = ("",) if SANITIZED else ("", DEVICE.replace("gpu", "vulkan"))  # the host links its own copy of the sanitizer
        for hosted in hosts:
            code, error = run_python(self.CODE, NNRT_HOSTED=hosted, NNRT_LOG="debug")
            self.assertEqual(code, 0, (hosted, error[-300:]))


class Forks(unittest.TestCase):
    def test_have_tensors_that_raise(self):
        tensor = nnrt.Tensor.from_numpy(numpy.ones((1, 1, 8, 8), "f4"))
        nnrt.load(DIGITS, DEVICE)(tensor)
        for use, error in ((nnrt.Tensor.numpy, BufferError), (numpy.asarray, BufferError), (memoryview, BufferError),
                           (numpy.array, BufferError), (numpy.from_dlpack, nnrt.Error)):
            child = os.fork()
            if child == 0:
                try:
                    use(tensor)
                    os._exit(1)
                except error:
                    os._exit(0)
                except BaseException:
                    os._exit(2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, use)


def digits_in_worker(_):
    image, expected = digits_sample(0)
    return bool(numpy.allclose(nnrt.load(DIGITS, DEVICE)(image), expected, atol=1e-4))


def error_in_worker(_):
    try:
        return digits_in_worker(_)
    except nnrt.Error as error:
        return error


class Pools(unittest.TestCase):
    def test_that_spawn_load_models(self):
        nnrt.devices()
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map_async(digits_in_worker, range(4)).get(200), [True] * 4)

    def test_that_fork_after_the_first_call_raise(self):
        nnrt.devices()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for error in pool.map_async(error_in_worker, range(4)).get(200):
                self.assertIsInstance(error, nnrt.Error)

    def test_that_fork_before_the_first_call_load_models(self):
        code = """
            import multiprocessing
            import process_test
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map_async(process_test.digits_in_worker, range(4)).get(200) == [True] * 4
        """
        self.assertEqual(run_python(code)[0], 0)


class HalfMadeTensors(unittest.TestCase):
    def test_raise(self):
        made = nnrt.Tensor.__new__(nnrt.Tensor)
        for use in (nnrt.Tensor.numpy, numpy.asarray, memoryview):
            with self.assertRaises(BufferError):
                use(made)
        for use in (lambda: made.shape, lambda: made.nbytes, made.to_host, made.__dlpack__, lambda: repr(made)):
            with self.assertRaises((TypeError, RuntimeError)):
                use()


class Exit(unittest.TestCase):
    def test_ends_daemon_threads_in_a_run(self):
        code = """
            import threading, time
            model, x = nnrt.load(DIGITS, DEVICE), numpy.zeros((1, 1, 8, 8), "f4")
            def loop():
                while True:
                    model(x)
            for _ in range(3):
                threading.Thread(target=loop, daemon=True).start()
            time.sleep(0.2)
        """
        for _ in range(3):
            self.assertEqual(run_python(code), (0, ""))


class Deletion(ModelTest):
    def longest_pause(self, act):
        """The longest pause of another thread while `act` runs, and the duration of `act`."""
        times, done = [time.perf_counter()], threading.Event()

        def tick():
            while not done.is_set():
                times.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        time.sleep(0.02)
        begin = time.perf_counter()
        act()
        took = time.perf_counter() - begin
        done.set()
        thread.join()
        return max(numpy.diff(times)), took

    def test_of_a_large_tensor_lets_other_threads_go_on(self):
        box = [nnrt.Tensor((200_000_000,))]
        box[0].numpy().fill(1)
        pause, took = self.longest_pause(box.clear)
        if took > 0.02:
            self.assertLess(pause, took / 2)


class Reloads(unittest.TestCase):
    def test_leave_nothing(self):
        """Fewer on the GPU, where builds take longer."""
        image, _ = digits_sample(0)
        with open(DIGITS, "rb") as file:
            data = file.read()

        def reload(rounds):
            for _ in range(rounds):
                nnrt.load(data, DEVICE)(image)
            gc.collect()
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))

        rounds = 1000 if DEVICE == "cpu" and not SANITIZED else 30
        reload(rounds // 5)
        memory, descriptors = reload(rounds // 5)
        after = reload(rounds)
        if not SANITIZED:
            self.assertLess(after[0] - memory, 8 << 20)
        self.assertLessEqual(after[1], descriptors)

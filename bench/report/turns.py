"""Engines that take turns: processes that run a model on request and are idle otherwise."""
import os
import pathlib
import subprocess
import time

PEER = pathlib.Path(__file__).parents[1] / "peers/onnxruntime.js"


class Failed(Exception):
    pass


class Turns:
    """A process that prints "ready", then an answer to each line."""

    def __init__(self, command, variables):
        self.process = subprocess.Popen(command, env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        ready = self.process.stdout.readline().split()
        if ready[:1] != ["ready"]:
            lines = self.process.stderr.read().strip().splitlines()
            raise Failed(next((line for line in lines if line.startswith("Error")), lines[-1] if lines else "it ended"))
        self.build_ms = float(ready[1]) if len(ready) > 1 else None
        self.settle()

    def ask(self, line):
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed("it ended in a run") from None
        answer = self.process.stdout.readline()
        if not answer:
            raise Failed("it ended in a run")
        self.settle()
        return answer

    def run(self, count):
        """The median of `count` runs in milliseconds."""
        return float(self.ask(count))

    def runs_in(self, seconds, most):
        """How many runs take this long."""
        return max(1, min(most, int(seconds * 1000 / max(min(self.run(1), self.run(1)), 1e-3))))

    def settle(self, patience=1.0):
        """Waits until all threads sleep. ONNX Runtime's spin for 30 to 40 ms after a run; the next engine would compete with them for the cores."""
        end = time.monotonic() + patience
        while True:
            time.sleep(0.002)
            if not self._is_running() or time.monotonic() > end:
                return

    def _is_running(self):
        for stat in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            try:
                if stat.read_text().rpartition(")")[2].split()[0] == "R":
                    return True
            except OSError:
                pass  # the thread ended
        return False

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def add_engines(parser):
    """The arguments of ours() and onnx_runtime()."""
    parser.add_argument("build")
    parser.add_argument("modules", help="node_modules with onnxruntime-node")


def add_threads(parser):
    parser.add_argument("--threads", type=int, action="append", help="repeatable; default: 1 and one per core")


def thread_counts(arguments):
    return arguments.threads or [1, os.cpu_count()]


def ours(build, file, threads):
    """The CPU device. `build` may be a copy of bin and lib."""
    build = pathlib.Path(build)
    variables = dict(os.environ, NNRT_DEVICES="cpu", NNRT_LOG="error", NNRT_THREADS=str(threads), LD_LIBRARY_PATH=str(build / "lib"))
    return Turns([str(build / "bin/turns"), str(file), "cpu"], variables)


def onnx_runtime(modules, file, threads):
    return Turns(["node", str(PEER), str(pathlib.Path(modules).resolve()), str(file), str(threads)], dict(os.environ))

"""python3 -m nnrt.batch: runs a model over many files."""

import argparse
import concurrent.futures
import contextlib
import os
import signal
import sys
from typing import Any, Optional, Sequence

from nnrt._error import Error, ReturnCode
from nnrt.batch._dispatch import Dispatcher
from nnrt.batch._files import InputFiles, common_folder
from nnrt.batch._progress import Progress
from nnrt.batch._recipe import Recipe
from nnrt.batch._work import Job, prepare, sentence_of
from nnrt.batch._workers import DaskWorkers, LocalWorkers, Workers


def _shape(text: str) -> tuple[str, tuple[Optional[int], ...]]:
    name, _, sizes = text.rpartition("=")
    if not all(size == "?" or size.isdecimal() for size in sizes.split(",")):
        raise argparse.ArgumentTypeError(f"{text} is not of the form NAME=?,3,224,224.")
    return name, tuple(None if size == "?" else int(size) for size in sizes.split(","))


def _numbers(text: str) -> str:
    """As `nnrt run` takes them: 127.5 or 1/127.5, with commas between them."""
    try:
        for number in text.split(",") if text else []:
            numerator, _, denominator = number.partition("/")
            float(numerator) / float(denominator or 1)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text} is not a list of numbers.") from None
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number.")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m nnrt.batch", description="Runs a model over many files.")
    add = parser.add_argument
    add("model", metavar="MODEL", help="model file: .tflite, .onnx, .ms or .nnrt")
    add("inputs", metavar="INPUT", nargs="+",
        help="image, array (.npy, .npz), raw elements or case (.jsonl), or a folder of these. If the model has several "
             "inputs, a sample is an archive, a case, or a folder with a file for each input")
    add("-o", "--output", metavar="OUT", required=True, help="folder of the outputs: INPUT.npy, or INPUT.npz for several")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers run the files. Default: processes of this machine")
    add("--processes", metavar="N", type=_positive, help="processes of this machine. Default: one per device")
    add("--devices", metavar="DEVICE,...", default="",
        help="devices that the processes of a machine take in turn. Default: auto")
    add("--batch", metavar="N", type=_positive, default=1, help="rows at once, if the first dimension is open. Default: 1")
    add("--max-failures", metavar="N", type=_positive, default=100, help="end once N files in a row have failed. Default: 100")
    add("--resume", action="store_true", help="skip files whose output is there and not older than the input")
    add("--shape", metavar="NAME=SHAPE", type=_shape, action="append", default=[],
        help="shape of an input: image=?,3,224,224, where ? is open")
    add("--mean", metavar="M[,M,M]", type=_numbers, default="", help="images: value = (pixel - mean) * scale")
    add("--scale", metavar="S[,S,S]", type=_numbers, default="", help="images: see --mean; may be a fraction such as 1/127.5")
    add("--fp16", action="store_true", help="allow float16 inside the model")
    add("--no-fallback", action="store_true", help="fail instead of running operations on the CPU that the device does not support")
    add("--cache", metavar="DIR", help="folder for compiled models, so that new processes start faster")
    return parser


def _job(given: argparse.Namespace) -> Job:
    options: dict[str, Any] = {"float16": given.fp16, "fallback": not given.no_fallback, "cache": given.cache}
    if given.shape:
        options["shapes"] = dict(given.shape)
    devices = tuple(device for device in given.devices.split(",") if device)
    recipe = Recipe.of(given.model, devices, mean=given.mean, scale=given.scale, **options)
    return Job(recipe, common_folder(given.inputs), os.path.abspath(given.output), given.batch, given.resume, given.max_failures)


def _workers(given: argparse.Namespace, job: Job) -> Workers:
    if given.scheduler:
        return DaskWorkers(given.scheduler)
    return LocalWorkers(given.processes or max(len(job.recipe.devices), 1))


def _prepared(workers: Workers, job: Job) -> tuple[int, Job, list[str]]:
    future = workers.submit(prepare, job)
    concurrent.futures.wait([future], timeout=3)
    if workers.window() == 0:
        print("nnrt.batch: The scheduler has no workers yet.", file=sys.stderr)
    try:
        return future.result()
    except workers.deaths:
        raise Error("The process that built the model died.", ReturnCode.FAILED) from None


class _Interrupts:
    """The first Ctrl-C lets the files in progress end, the second one ends the command at once, and so does the first
    one before any file runs."""

    def __init__(self) -> None:
        self.workers: Optional[Workers] = None
        self.dispatcher: Optional[Dispatcher] = None
        self.progress: Optional[Progress] = None
        self.has_any = False

    def __enter__(self) -> "_Interrupts":
        self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *_: Any) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _take(self, *_: Any) -> None:
        if self.dispatcher and not self.has_any:
            self.has_any = True
            self.dispatcher.end()
        else:
            self._end()

    def _end(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self.workers:
            self.workers.kill()
        if self.dispatcher and self.progress:
            self.dispatcher.end()
            self.dispatcher.count_unreported()
            self.progress.wipe()
            os.write(1, f"{self.progress.summary()}\n".encode())  # print() may be interrupted itself
        os.write(2, f"{_INTERRUPTED}\n".encode())
        os._exit(130)


_INTERRUPTED = "nnrt.batch: Interrupted; --resume continues."


def _run(given: argparse.Namespace, workers: Workers, job: Job, interrupts: _Interrupts) -> int:
    input_count, job, warnings = _prepared(workers, job)
    for sentence in warnings:
        print(f"nnrt.batch: {sentence}", file=sys.stderr)

    def unreadable(path: str, error: OSError) -> None:
        progress.fail(path, f"{error.strerror}.")

    def files(*unreadable: Any) -> InputFiles:
        return InputFiles(given.inputs, job.root, job.out, input_count, *unreadable)

    progress = interrupts.progress = Progress(sum(1 for _ in files()))
    dispatcher = interrupts.dispatcher = Dispatcher(workers, job, progress)
    try:
        dispatcher.run(files(unreadable))
    finally:
        dispatcher.end()
        dispatcher.count_unreported()
        progress.wipe()
        print(progress.summary(), flush=True)
    if dispatcher.why_ended:
        print(f"nnrt.batch: {dispatcher.why_ended}", file=sys.stderr)
    if interrupts.has_any:
        print(_INTERRUPTED, file=sys.stderr)
        return 130
    return 1 if progress.failed or dispatcher.why_ended else 0


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.scheduler and given.processes:
        parser.error("--processes is for this machine, not for a scheduler.")
    job = _job(given)
    if job.out in [os.path.abspath(path) for path in given.inputs]:
        parser.error("the output folder is also an input.")
    try:
        with _Interrupts() as interrupts, contextlib.closing(_workers(given, job)) as workers:
            interrupts.workers = workers
            return _run(given, workers, job, interrupts)
    except (Error, OSError, ImportError) as error:
        print(f"nnrt.batch: {sentence_of(error)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

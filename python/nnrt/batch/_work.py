"""What the workers do: read files, run them, and write the outputs."""

import dataclasses
import errno
import os
import time
import warnings
from typing import Any, Iterator, Sequence

import numpy

from nnrt import _samples
from nnrt.batch._output_folder import is_done, open_folder, write
from nnrt.batch._recipe import Built, Recipe, built
from nnrt.batch._rows import check_stackable, run_all


@dataclasses.dataclass(frozen=True)
class Job:
    """What all tasks of a batch share."""

    recipe: Recipe
    root: str
    out: str
    rows: int = 1
    resume: bool = False
    max_failures: int = 100
    since: int = 0
    """Outputs that are older (ns) are of an earlier batch."""
    going: str = ""
    """Tasks end once this file is removed, after the file that they run. Empty: they do not look."""
    begun: int = 0
    """Outputs that are older (ns) are not of this command."""
    ending: str = ".npy"

    def input(self, name: str) -> str:
        return f"{self.root}/{name}"

    def output(self, name: str) -> str:
        return f"{self.out}/{name}{self.ending}"

    def is_done(self, name: str, since: int = 0) -> bool:
        return is_done(self.output(name), self.input(name), max(self.since, since))


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of a task, which may have ended before its last file."""

    done: int
    skipped: int
    failures: list[tuple[str, str, int]]
    """The name, why, and how many files were done before."""
    seconds: float
    is_full: bool = False
    """No further output can be written."""


def prepare(job: Job) -> tuple[int, Job, list[str]]:
    """Builds the model and the output folder; returns the number of inputs, the job for run_files, and warnings.

    Raises the errors that all files would have.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = built(job.recipe).model
    if job.rows > 1:
        check_stackable(model)
    recipe = job.recipe
    if recipe.load_options.get("cache") and not model._is_cached:
        recipe = recipe.without("cache")  # one warning, not one of each process
    since, going, begun = open_folder(job.out, recipe, job.resume)
    ending = ".npy" if len(model.outputs) == 1 else ".npz"
    job = dataclasses.replace(job, recipe=recipe, since=since, going=going, begun=begun, ending=ending)
    return len(model.inputs), job, [sentence_of(it.message) for it in told]


def run_files(job: Job, names: Sequence[str]) -> Report:
    """Runs files and writes their outputs. Failures of files are part of the report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of prepare()
        it = built(job.recipe)
    return _Task(job, it).run(names)


class _Task:
    def __init__(self, job: Job, it: Built) -> None:
        self._job, self._built = job, it
        self._done = self._in_a_row = 0
        self._failures: list[tuple[str, str, int]] = []
        self._is_full = False

    def run(self, names: Sequence[str]) -> Report:
        begin = time.perf_counter()
        wanted = [name for name in names if not (self._job.resume and self._job.is_done(name))]
        for name, result in run_all(self._built.model, self._samples(wanted), self._job.rows):
            if isinstance(result, Exception):
                self._fail(name, result)
            else:
                self._write(name, result)
        return Report(self._done, len(names) - len(wanted), self._failures, time.perf_counter() - begin, self._is_full)

    def _goes_on(self) -> bool:
        if self._is_full or self._in_a_row >= self._job.max_failures:
            return False
        return self._has_folder()

    def _has_folder(self) -> bool:
        return not self._job.going or os.path.exists(self._job.going)

    def _samples(self, names: Sequence[str]) -> Iterator[tuple[str, list[numpy.ndarray]]]:
        for name in names:
            if not self._goes_on():
                return
            try:
                arrays = self._built.read(os.fsencode(self._job.input(name)))
            except Exception as error:
                self._fail(name, error)
            else:
                yield name, arrays

    def _write(self, name: str, arrays: list[numpy.ndarray]) -> None:
        try:
            write(self._job.out, self._job.output(name), _samples.encode(self._built.output_names, arrays))
        except Exception as error:
            code = getattr(error.__cause__, "errno", None)
            if code == errno.ENOENT and not self._has_folder():
                return  # another batch removed the file that was being written
            self._is_full |= code in (errno.ENOSPC, errno.EDQUOT)
            self._fail(name, error)
        else:
            self._done += 1
            self._in_a_row = 0

    def _fail(self, name: str, error: Exception) -> None:
        self._in_a_row += 1
        self._failures.append((name, sentence_of(error), self._done))


def sentence_of(error: Any) -> str:
    return " ".join(str(error).split()) or type(error).__name__

"""What the workers do: read files, run them, and write the outputs."""

import dataclasses
import os
import time
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
    since: int = 0
    """Outputs that are older (ns) are of an earlier batch."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of a task."""

    done: int
    skipped: int
    failures: list[tuple[str, str]]
    seconds: float


def prepare(job: Job) -> tuple[int, Job]:
    """Builds the model and the output folder; returns the number of inputs, and the job for run_files.

    Raises the errors that all files would have.
    """
    model = built(job.recipe).model
    if job.rows > 1:
        check_stackable(model)
    return len(model.inputs), dataclasses.replace(job, since=open_folder(job.out, job.recipe, job.resume))


def run_files(job: Job, names: Sequence[str]) -> Report:
    """Runs files and writes their outputs. Failures of files are part of the report."""
    return _Task(job, built(job.recipe)).run(names)


class _Task:
    def __init__(self, job: Job, it: Built) -> None:
        self._job, self._built = job, it
        self._ending = ".npy" if len(it.output_names) == 1 else ".npz"
        self._failures: list[tuple[str, str]] = []

    def run(self, names: Sequence[str]) -> Report:
        begin = time.perf_counter()
        wanted = [name for name in names if not (self._job.resume and self._is_done(name))]
        for name, result in run_all(self._built.model, self._samples(wanted), self._job.rows):
            if isinstance(result, Exception):
                self._fail(name, result)
            else:
                self._write(name, result)
        failed = len(self._failures)
        return Report(len(wanted) - failed, len(names) - len(wanted), self._failures, time.perf_counter() - begin)

    def _input(self, name: str) -> str:
        return f"{self._job.root}/{name}"

    def _output(self, name: str) -> str:
        return f"{self._job.out}/{name}{self._ending}"

    def _is_done(self, name: str) -> bool:
        return is_done(self._output(name), self._input(name), self._job.since)

    def _samples(self, names: Sequence[str]) -> Iterator[tuple[str, list[numpy.ndarray]]]:
        for name in names:
            try:
                arrays = self._built.read(os.fsencode(self._input(name)))
            except Exception as error:
                self._fail(name, error)
            else:
                yield name, arrays

    def _write(self, name: str, arrays: list[numpy.ndarray]) -> None:
        path = self._output(name)
        try:
            write(self._job.out, path, _samples.encode(self._built.output_names, arrays))
        except Exception as error:
            self._fail(name, error)

    def _fail(self, name: str, error: Exception) -> None:
        self._failures.append((name, sentence_of(error)))


def sentence_of(error: Any) -> str:
    return " ".join(str(error).split()) or type(error).__name__

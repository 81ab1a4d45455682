"""Hands files to workers: several per task, and few tasks at once."""

import concurrent.futures
import itertools
from typing import Iterable, Iterator

from nnrt.batch._progress import Progress
from nnrt.batch._work import Job, run_files, sentence_of
from nnrt.batch._workers import ConnectionLost, Future, Workers

_MAX_FILES = 1000  # per task


class Pace:
    """The number of files that makes a task neither too short to be worth its transfer nor long."""

    def __init__(self, seconds: float, rows: int) -> None:
        self._target, self._rows, self._files = seconds, rows, self._rounded(8, rows)

    @staticmethod
    def _rounded(files: float, rows: int) -> int:
        return max(int(min(files, _MAX_FILES)) // rows, 1) * rows

    def files(self) -> int:
        return self._files

    def observe(self, files: int, seconds: float) -> None:
        wanted = files * self._target / max(seconds, 1e-6)
        self._files = self._rounded(min(wanted, 4 * self._files), self._rows)


class Dispatcher:
    """Runs the files of a job. The client holds only the names of files in progress."""

    def __init__(self, workers: Workers, job: Job, progress: Progress) -> None:
        self._workers, self._job, self._progress = workers, job, progress
        self._pace = Pace(workers.task_seconds, job.rows)
        self._pending: dict[Future, list[str]] = {}
        self._suspects: list[str] = []  # files whose process died, perhaps because of one of them

    def run(self, names: Iterable[str]) -> None:
        left = iter(names)
        while True:
            if not self._suspects:
                self._submit(left)
            if self._pending:
                self._take_some()
            elif self._suspects:
                self._run_suspects()
            else:
                return

    def _submit(self, left: Iterator[str]) -> None:
        window = max(self._workers.window(), 1)
        while len(self._pending) < window and (names := list(itertools.islice(left, self._pace.files()))):
            self._pending[self._workers.submit(run_files, self._job, names)] = names

    def _take_some(self) -> None:
        done, _ = concurrent.futures.wait(self._pending, timeout=0.2, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            names = self._pending.pop(future)
            if not self._take(future, names):
                self._suspects += names
        self._progress.show(waiting=self._workers.window() == 0)

    def _take(self, future: Future, names: list[str]) -> bool:
        """Counts the result of a task. Returns False if its process died."""
        try:
            report = future.result()
        except self._workers.deaths:
            return False
        except ConnectionLost:
            raise
        except Exception as error:
            for name in names:
                self._progress.fail(name, sentence_of(error))
            return True
        self._pace.observe(len(names), report.seconds)
        self._progress.count(report.done, report.skipped)
        for name, sentence in report.failures:
            self._progress.fail(name, sentence)
        return True

    def _run_suspects(self) -> None:
        """Runs them one at a time, so that only the file that kills its process fails."""
        for name in self._suspects:
            future = self._workers.submit(run_files, self._job, [name])
            concurrent.futures.wait([future])
            if not self._take(future, [name]):
                self._progress.fail(name, "The process that ran it died.")
        self._suspects = []

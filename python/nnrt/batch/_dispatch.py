"""Hands files to workers: several per task, and few tasks at once."""

import concurrent.futures
import contextlib
import itertools
import os
from typing import Iterable, Iterator, Optional

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
        self._in_a_row = 0
        self._is_ending = False
        self.why_ended: Optional[str] = None

    def end(self, why: Optional[str] = None) -> None:
        """Lets run() return after the files that processes are running. For signal handlers, too."""
        if not self._is_ending:
            self.why_ended = why
        self._is_ending = True
        with contextlib.suppress(OSError):
            os.remove(self._job.going)

    def run(self, names: Iterable[str]) -> None:
        left = iter(names)
        while True:
            if not self._suspects and not self._is_ending:
                self._submit(left)
            if self._pending:
                self._take_some()
            elif self._suspects and not self._is_ending:
                self._run_suspects()
            else:
                return

    def count_unreported(self) -> None:
        """Counts the files in progress by their outputs, once no task can report any more."""
        names = itertools.chain(self._suspects, *self._pending.values())
        for name in filter(self._job.is_done, names):
            is_new = self._job.is_done(name, self._job.begun)
            self._progress.count(int(is_new), int(not is_new))
        self._pending, self._suspects = {}, []

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
                self._fail(name, sentence_of(error))
            return True
        self._pace.observe(len(names), report.seconds)
        self._progress.count(report.done, report.skipped)
        done = 0
        for name, sentence, before in report.failures:
            if before > done:
                self._in_a_row = 0
            done = before
            self._fail(name, sentence)
        if report.done > done:
            self._in_a_row = 0
        if report.is_full:
            self.end("The disk is full; --resume continues.")
        if report.done + report.skipped + len(report.failures) < len(names):
            self.end("The output folder was removed, or another batch writes to it.")
        return True

    def _fail(self, name: str, sentence: str) -> None:
        self._in_a_row += 1
        limit = self._job.max_failures
        if self._in_a_row > limit:
            self._progress.failed += 1
            return
        self._progress.fail(name, sentence)
        if self._in_a_row == limit:
            self.end(f"{limit} files in a row failed (--max-failures); --resume continues.")

    def _run_suspects(self) -> None:
        """Runs them one at a time, so that only the file that kills its process fails."""
        while self._suspects and not self._is_ending:
            name = self._suspects.pop(0)
            future = self._workers.submit(run_files, self._job, [name])
            self._pending[future] = [name]
            concurrent.futures.wait([future])
            del self._pending[future]
            if not self._take(future, [name]):
                self._fail(name, "The process that ran it died.")

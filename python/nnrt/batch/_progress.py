"""Counts files, and shows the counts on a terminal."""

import os
import shutil
import sys
import time


class Progress:
    """A line on standard error if that is a terminal, and failures above it."""

    WIDTH = 30

    def __init__(self, total: int) -> None:
        self.total, self.done, self.skipped, self.failed = total, 0, 0, 0
        self._begin, self._drawn = time.monotonic(), 0.0
        self._is_terminal = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    def count(self, done: int, skipped: int) -> None:
        self.done += done
        self.skipped += skipped

    def fail(self, name: str, sentence: str) -> None:
        self.failed += 1
        self.wipe()
        print(_printable(f"nnrt.batch: {name}: {sentence}"), file=sys.stderr, flush=True)

    def show(self, waiting: bool = False) -> None:
        if not self._is_terminal or time.monotonic() - self._drawn < 0.1:
            return
        self._drawn = time.monotonic()
        over = self.done + self.skipped + self.failed
        full = min(self.WIDTH * over // max(self.total, over, 1), self.WIDTH)
        rate = self.done / max(self.seconds, 1e-3)
        state = "waiting for workers" if waiting else f"{rate:.0f} files/s"
        line = f"[{'#' * full:<{self.WIDTH}}] {over}/{self.total}, {self.failed} failed, {state}"
        print("\r" + line[:shutil.get_terminal_size().columns - 1], end="\x1b[K", file=sys.stderr, flush=True)

    def wipe(self) -> None:
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def summary(self) -> str:
        parts = [f"{self.done} files run", *([f"{self.skipped} done before"] if self.skipped else []), f"{self.failed} failed"]
        return f"{', '.join(parts)}, {self.seconds:.2f} s, {self.done / max(self.seconds, 1e-3):.0f} files/s"


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

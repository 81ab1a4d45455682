"""Processes that run tasks: of this machine, or of a Dask cluster."""

import concurrent.futures
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable, Optional, Protocol

from nnrt._error import Error, ReturnCode

Future = concurrent.futures.Future


class ConnectionLost(Error):
    """Nothing is known of a task any more."""


class Workers(Protocol):
    """Like an executor of concurrent.futures."""

    task_seconds: float
    """The length of a task beside which handing it over costs little."""
    deaths: tuple[type[BaseException], ...]
    """Exceptions of tasks whose process died."""

    def submit(self, function: Callable, *arguments: Any) -> Future: ...
    def window(self) -> int:
        """How many tasks keep all processes busy; 0 while there is none."""
    def close(self) -> None: ...
    def kill(self) -> None:
        """Ends the processes of this machine without waiting for their tasks. Nothing can follow."""


def _start(threads: Optional[int]) -> None:
    """Runs first in a local process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C: the client ends tasks
    if threads:
        os.environ.setdefault("NNRT_THREADS", str(threads))
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Ends the process once a client that was killed can no longer end it."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


class LocalWorkers:
    """Processes of this machine. They share its cores, and those that die are replaced."""

    task_seconds = 0.05
    deaths: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["nnrt.batch._work"])
        # Behind kill(), multiprocessing's own process removes semaphores, and need not tell.
        sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
        self._pool = self._make_pool()

    def _make_pool(self) -> concurrent.futures.ProcessPoolExecutor:
        threads = max(1, len(os.sched_getaffinity(0)) // self._processes) if self._processes > 1 else None
        return concurrent.futures.ProcessPoolExecutor(self._processes, self._context, _start, (threads,))

    def submit(self, function: Callable, *arguments: Any) -> Future:
        try:
            return self._pool.submit(function, *arguments)
        except BrokenProcessPool:
            self._pool.shutdown()
            self._pool = self._make_pool()
            return self._pool.submit(function, *arguments)

    def window(self) -> int:
        return 3 * self._processes

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def kill(self) -> None:
        processes = multiprocessing.active_children()
        for process in processes:
            process.kill()
        end = time.monotonic() + 1
        for process in processes:
            multiprocessing.connection.wait([process.sentinel], timeout=max(end - time.monotonic(), 0))


async def _deliver(task: Any, delivered: Future) -> None:
    """Unlike Dask's own executor, also delivers the loss of the connection."""
    try:
        delivered.set_result(await task._result())
    except BaseException as error:  # asyncio.CancelledError is not an Exception
        lost = ConnectionLost("The scheduler has ended or lost its connection; --resume continues.",
                              ReturnCode.CONNECTION_EXCEPTION)
        delivered.set_exception(error if task.status == "error" else lost)


class DaskWorkers:
    """The workers of a Dask scheduler. They may come, go and die at any time."""

    task_seconds = 0.2

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise Error("--scheduler needs Dask (Debian: python3-distributed).", ReturnCode.UNSUPPORTED) from None
        from distributed.scheduler import KilledWorker
        for name in ("asyncio", "distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # tracebacks of lost connections
        try:
            self._client: Any = distributed.Client(address, set_as_default=False)
        except (OSError, ValueError) as error:
            raise Error(f"Scheduler {address} cannot be reached: {error}.", ReturnCode.CONNECTION_EXCEPTION) from None
        self.deaths: tuple[type[BaseException], ...] = (KilledWorker,)
        self._window, self._asked = 0, 0.0

    def submit(self, function: Callable, *arguments: Any) -> Future:
        # Retries, because a worker may be unable to build the model.
        task = self._client.submit(function, *arguments, pure=False, retries=3)
        delivered: Future = Future()
        self._client.loop.add_callback(_deliver, task, delivered)
        return delivered

    def window(self) -> int:
        if time.monotonic() - self._asked > 1:
            self._window = 4 * sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return self._window

    def close(self) -> None:
        self._client.close()

    def kill(self) -> None:
        pass  # they end after the file that they run

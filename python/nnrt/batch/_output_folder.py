"""The folder of outputs: atomic writes, and what a resumed batch may keep."""

import contextlib
import functools
import hashlib
import json
import os
import threading
import uuid
from typing import Union

from nnrt._error import Error, ReturnCode
from nnrt.batch._recipe import Recipe

_OWN = ".nnrt-batch"  # below the output folder: the record of its batch, and files being written
_RECORD = "record.json"
_GOING = ".going"


def open_folder(out: str, recipe: Recipe, resume: bool) -> tuple[int, str, int]:
    """Creates the folder and records what its outputs are computed with.

    Returns a time (ns) such that older outputs are of an earlier batch, the path of a file that says that this batch
    goes on, and the time of that file."""
    own, record = os.path.join(out, _OWN), json.dumps(_record_of(recipe), sort_keys=True)
    path = os.path.join(own, _RECORD)
    is_empty = not os.path.isdir(out) or not os.listdir(out)
    os.makedirs(own, exist_ok=True)
    left = [name for name in os.listdir(own) if name != _RECORD]  # by workers that were killed, or of another batch
    for name in sorted(left, key=lambda name: not name.endswith(_GOING)):  # it ends before its files are missing
        with contextlib.suppress(FileNotFoundError):  # finished by another batch
            os.remove(os.path.join(own, name))
    if resume and not is_empty:
        _check_record(out, path, record)
    else:
        write(out, path, record.encode())
    going = os.path.join(own, f"{uuid.uuid4().hex}{_GOING}")
    write(out, going, b"")
    return os.stat(path).st_mtime_ns, going, os.stat(going).st_mtime_ns


def _check_record(out: str, path: str, record: str) -> None:
    try:
        with open(path, encoding="utf-8") as file:
            is_same = file.read() == record
    except OSError:
        raise Error(f"Folder {out} has no batch to resume.", ReturnCode.INVALID_PATH) from None
    if not is_same:
        raise Error(f"Folder {out} has outputs of another model or of other options; it cannot be resumed.",
                    ReturnCode.INVALID_PARAMETER)


def _record_of(recipe: Recipe) -> dict[str, str]:
    digest = hashlib.blake2b()
    with open(recipe.path, "rb") as file:
        while data := file.read(1 << 20):
            digest.update(data)
    options = {name: repr(sorted(value) if isinstance(value, frozenset) else value) for name, value in recipe.options
               if name in ("shapes", "float16", "configs")}
    return {"model": digest.hexdigest(), "mean": recipe.mean, "scale": recipe.scale, **options}


@functools.lru_cache(maxsize=None)
def _process_name() -> str:
    return uuid.uuid4().hex  # not made at import, because processes fork after it


def write(out: str, path: str, data: Union[bytes, memoryview]) -> None:
    """Creates or replaces a file below the output folder, and the folders that it needs. Readers see all of it or nothing."""
    beside = f"{out}/{_OWN}/{_process_name()}.{threading.get_ident()}"
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left):]
        finally:
            os.close(fd)
        _move(beside, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise Error(f"File ({path}) cannot be written: {error.strerror}.", ReturnCode.INVALID_PATH) from error


def _move(beside: str, path: str) -> None:
    try:
        os.replace(beside, path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.replace(beside, path)


def is_done(path: str, source: str, since: int) -> bool:
    """Whether the output is of this batch, and not older than its input."""
    try:
        return os.stat(path).st_mtime_ns >= max(since, _newest(source))
    except OSError:
        return False


def _newest(path: str) -> int:
    times = [os.stat(path).st_mtime_ns]
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            times += [entry.stat().st_mtime_ns for entry in entries]
    return max(times)
